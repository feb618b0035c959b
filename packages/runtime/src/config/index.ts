export { type ConfigurationRequest, readConfiguration, readProjectFile } from './read.ts';
export { isTrusted, recordTrust } from './trust.ts';
export type { Configuration } from './types.ts';
