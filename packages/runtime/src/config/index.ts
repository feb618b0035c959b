export { type ConfigurationRequest, readConfiguration, readProjectFile } from './read.ts';
export { isTrusted, recordTrust } from './trust.ts';
export { type Configuration, DEFAULT_CARRY } from './types.ts';
