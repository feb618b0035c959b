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
  try {
    return NETWORK_FILE_SYSTEMS.get(statfsSync(nearestFolder(folder)).type) ?? null;
  } catch {
    // What cannot be looked at cannot be used either, and whoever tries says why.
    return null;
  }
}

/** File systems of the kernel's own: making folders there fails in ways that some calls wait out for ever. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

/** Why a state folder can be neither there nor made, in words; null when nothing speaks against it. */
export function findStateFolderFault(folder: string): string | null {
  const nearest = nearestFolder(folder);
  try {
    if (!statSync(nearest).isDirectory()) return `${nearest} is not a folder`;
    return KERNEL_FILE_SYSTEMS.has(statfsSync(nearest).type) ? `${nearest} belongs to the kernel` : null;
  } catch (error) {
    return `${nearest} cannot be looked at: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** The folder, or the nearest one above it that exists and may be looked at. */
export function nearestFolder(path: string): string {
  let folder = path;
  while (!isThere(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
