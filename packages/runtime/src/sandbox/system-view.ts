/**
 * What of the host's system a command sees: programs and libraries, and the few entries of `/etc` they need.
 *
 * 1. Of `/etc` only the names listed here, never keys (`/etc/ssl/private`), accounts or host names: those are made up.
 * 2. Of `/proc`, what concerns the whole machine is read-only or empty.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Bind } from './bubblewrap-arguments.ts';

export interface SystemView {
  readonly binds: readonly Bind[];
  readonly links: readonly { readonly target: string; readonly path: string }[];
  readonly procReadOnly: readonly string[];
  readonly procMasked: readonly string[];
}

/** Read-only in whole. */
export const SYSTEM_FOLDERS = ['/usr', '/nix/store'];
/** Links into `/usr` on a merged system, folders of their own on others. */
const TOP_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const ETC_ENTRIES = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'debian_version',
  'fonts',
  'gai.conf',
  'host.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'magic',
  'maven/m2.conf',
  'mime.types',
  'os-release',
  'perl',
  'pki/ca-trust',
  'pki/tls/certs',
  'protocols',
  'python3',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];
/** Configuration without which a Debian JVM or Python does not start. */
const ETC_PATTERN = /^(java-\d+-openjdk|python3\.\d+)$/;
const PROC_READ_ONLY = ['sys', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'asound', 'mtrr'];
const PROC_MASKED = [
  'sysrq-trigger',
  'kcore',
  'keys',
  'key-users',
  'kmsg',
  'latency_stats',
  'sched_debug',
  'timer_list',
  'timer_stats',
];

/** Looks at the host once. */
export function readSystemView(): SystemView {
  const folders = [...SYSTEM_FOLDERS, ...TOP_FOLDERS.filter((path) => !isLink(path))].filter(existsSync);
  const etc = [...ETC_ENTRIES, ...namesIn('/etc').filter((name) => ETC_PATTERN.test(name))];
  return {
    binds: [
      ...folders.map((path) => ({ source: path, target: path })),
      ...etc
        .map((name) => join('/etc', name))
        .filter(existsSync)
        .map((path) => ({ source: realpathSync(path), target: path })),
    ],
    links: [
      ...TOP_FOLDERS.filter(isLink).map((path) => ({ target: readlinkSync(path), path })),
      { target: '/tmp', path: '/var/tmp' },
      { target: '/proc/self/mounts', path: '/etc/mtab' },
    ],
    procReadOnly: PROC_READ_ONLY.map((name) => join('/proc', name)).filter(existsSync),
    procMasked: PROC_MASKED.map((name) => join('/proc', name)).filter(existsSync),
  };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
