/**
 * The arguments of bubblewrap: one pure function from a configuration to an array.
 *
 * 1. The root is an empty, read-only tmpfs; nothing of the host is there that the configuration does not name.
 * 2. Every namespace is unshared, the network too; the only way out is a proxy socket the configuration names.
 * 3. No capability survives, for root neither. Where root stays root without capabilities, `/proc/sys` would still be
 *    writable (the kernel asks for the user id there, not for a capability), so it is mounted read-only.
 * 4. Order decides: what hides comes after what it hides, and `base.git` after both.
 */

/** A host path and where it appears inside. */
export interface Bind {
  readonly source: string;
  readonly target: string;
}

export interface BubblewrapConfig {
  /** Path of the `bwrap` program. */
  readonly program: string;
  /** Forbid further user namespaces (bubblewrap 0.8 and later, where user namespaces work). */
  readonly disableUserns: boolean;
  /** `/usr`, entries of `/etc`, ...: read-only. */
  readonly system: readonly Bind[];
  readonly links: readonly { readonly target: string; readonly path: string }[];
  /** Files with generated content: read from a descriptor of the child. */
  readonly generated: readonly { readonly descriptor: number; readonly target: string }[];
  /** Entries of `/proc` mounted read-only, and files there that read as empty. */
  readonly procReadOnly: readonly string[];
  readonly procMasked: readonly string[];
  readonly workspace: Bind;
  readonly scratch: Bind;
  /** Toolchain folders, read-only at their own path. */
  readonly toolchains: readonly string[];
  /** Folders and files inside what was named so far that must not be seen. */
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
  /** Read-only at their own host path. */
  readonly readOnly: readonly string[];
  /** Guest paths in the workspace: pinned in place, and read-only there. */
  readonly pinned: readonly Bind[];
  readonly frozen: readonly Bind[];
  /** What the network bridge needs: its program and its socket. */
  readonly bridge: readonly Bind[];
  readonly env: Readonly<Record<string, string>>;
  /** Guest path. */
  readonly cwd: string;
  readonly argv: readonly [string, ...string[]];
  readonly statusDescriptor: number;
  readonly filterDescriptor: number | null;
}

const SHARED_MEMORY_BYTES = 256 * 1024 * 1024;

/** The whole command line, program first. */
export function makeBubblewrapArguments(config: BubblewrapConfig): [string, ...string[]] {
  return [
    config.program,
    ...makeIsolation(config),
    ...makeSystem(config),
    ...makeKernelFolders(config),
    ...makeWritable(config),
    ...config.toolchains.flatMap((path) => ['--ro-bind', path, path]),
    ...config.hiddenFolders.flatMap((path) => ['--tmpfs', path]),
    ...config.hiddenFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...config.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...config.hiddenFolders.flatMap((path) => ['--remount-ro', path]),
    ...config.pinned.flatMap(({ source, target }) => ['--bind', source, target]),
    ...config.frozen.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...config.bridge.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    '--remount-ro',
    '/',
    '--clearenv',
    ...Object.entries(config.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    config.cwd,
    '--',
    ...config.argv,
  ];
}

function makeIsolation(config: BubblewrapConfig): string[] {
  return [
    '--unshare-all',
    ...(config.disableUserns ? ['--unshare-user', '--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'ramet',
    '--json-status-fd',
    String(config.statusDescriptor),
    ...(config.filterDescriptor === null ? [] : ['--seccomp', String(config.filterDescriptor)]),
  ];
}

function makeSystem(config: BubblewrapConfig): string[] {
  return [
    '--perms',
    '0755',
    '--dir',
    '/etc',
    ...config.system.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...config.links.flatMap(({ target, path }) => ['--symlink', target, path]),
    ...config.generated.flatMap(({ descriptor, target }) => [
      '--perms',
      '0644',
      '--ro-bind-data',
      String(descriptor),
      target,
    ]),
  ];
}

function makeKernelFolders(config: BubblewrapConfig): string[] {
  return [
    '--proc',
    '/proc',
    ...config.procReadOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...config.procMasked.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    '--dev',
    '/dev',
    '--perms',
    '1777',
    '--size',
    String(SHARED_MEMORY_BYTES),
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
  ];
}

function makeWritable(config: BubblewrapConfig): string[] {
  const { scratch, workspace } = config;
  return ['--bind', scratch.source, scratch.target, '--bind', workspace.source, workspace.target];
}
