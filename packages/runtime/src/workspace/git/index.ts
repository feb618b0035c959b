export { type ConfigEntry, canHoldConfig, formatEntries, renderConfig } from './config-file.ts';
export { type GitSetting, makePersonConfigEnvironment } from './environment.ts';
export { configIsTrue, configValue, type PersonConfig, readPersonConfig } from './person-config.ts';
export { makeBareRepository, makeGitFolders, renderAlternate } from './repository.ts';
export { type GitOutcome, type GitPlace, type GitSpec, git, type RunningGit, startGit } from './run.ts';
export { joinNul, renderName, splitLines, splitNul } from './split.ts';
export { isSupportedGit, parseGitVersion, requireGit } from './version.ts';
