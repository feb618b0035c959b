export { refuseAtWork } from './at-work.ts';
export {
  type DaemonEndpoint,
  type DaemonPaths,
  daemonPathsOf,
  readEndpoint,
  removeEndpoint,
  writeEndpoint,
} from './record.ts';
export { chooseToken, readToken, type TokenOptions } from './token.ts';
