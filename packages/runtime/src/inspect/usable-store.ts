/** Opens a store where there can be one whose locks hold. */
import { Failure } from '@ramet/core';
import { type FileStore, openFileStore } from '../store/index.ts';
import { findNetworkFileSystem, findStateFolderFault } from './file-system.ts';

export interface StorePlace {
  /** The state folder; absolute. */
  readonly home: string;
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
  /** `RAMET_ALLOW_NETWORK_FS=1` is a person's word that only one machine uses the folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens a store; throws `state_unusable` where there can be none, `network_file_system` where its locks could not be relied on. */
export function openUsableStore({ home, now, env }: StorePlace): FileStore {
  const fault = findStateFolderFault(home);
  if (fault !== null) {
    const message = `the state folder ${home} cannot be used: ${fault}; set RAMET_HOME to a folder you own`;
    throw new Failure('state_unusable', message, { data: { home } });
  }
  const network = env.RAMET_ALLOW_NETWORK_FS === '1' ? null : findNetworkFileSystem(home);
  if (network !== null) {
    const message = `the state folder ${home} is on ${network}, where locks cannot be relied on; set RAMET_HOME to a local folder, or RAMET_ALLOW_NETWORK_FS=1 if only this machine uses it`;
    throw new Failure('network_file_system', message, { data: { home, fileSystem: network } });
  }
  return openFileStore({ home, now });
}
