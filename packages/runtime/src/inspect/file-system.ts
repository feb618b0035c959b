/** What the state folder lies on. */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Magic numbers of statfs(2): on these, locks and renames are not what the store relies on. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x01021997, '9p'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/** The kind of network file system a folder (or the nearest one above that exists) lies on; null for a local one. */
export function findNetworkFileSystem(folder: string): string | null {
  return NETWORK_FILE_SYSTEMS.get(statfsSync(nearestFolder(folder)).type) ?? null;
}

/** The folder, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  let folder = path;
  while (statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
