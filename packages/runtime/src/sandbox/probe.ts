/** Whether a sandbox can be had: it counts as present when a command ran in one. */
import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { openBubblewrap } from './bubblewrap.ts';
import { makeTemporaryFolder } from './temporary.ts';

export type SandboxProbe =
  | { readonly kind: 'present'; readonly program: string; readonly disableUserns: boolean }
  | {
      readonly kind: 'absent';
      readonly reason: string;
      /** The command line that installs what is missing; null where nothing can be installed. */
      readonly install: string | null;
    };

const WELL_KNOWN = ['/usr/bin', '/usr/local/bin', '/bin'];
const PROBE_TIMEOUT_MS = 20_000;

let cached: Promise<SandboxProbe> | undefined;

/** Probes until a sandbox was found: one that is not there now may be installed while a long-lived process runs. */
export function probeSandbox(): Promise<SandboxProbe> {
  cached ??= probeHost();
  return cached;
}

async function probeHost(): Promise<SandboxProbe> {
  const probe = await probeBubblewrap({
    platform: process.platform,
    program: findBubblewrap(process.env.PATH ?? ''),
  });
  if (probe.kind === 'absent') cached = undefined;
  return probe;
}

/** Probes a given program (null: none was found), by running `true` the way every command is run. */
export async function probeBubblewrap(host: {
  readonly platform: string;
  readonly program: string | null;
}): Promise<SandboxProbe> {
  const { platform, program } = host;
  if (platform !== 'linux') return { kind: 'absent', reason: `there is no sandbox for ${platform} yet`, install: null };
  if (program === null)
    return { kind: 'absent', reason: 'bubblewrap (bwrap) is not installed', install: makeInstallLine() };
  const first = await tryRun(program, true);
  if (first === null) return { kind: 'present', program, disableUserns: true };
  const second = await tryRun(program, false);
  if (second === null) return { kind: 'present', program, disableUserns: false };
  return {
    kind: 'absent',
    reason: `${program} is installed and does not work here: ${second} (user namespaces may be forbidden by the kernel, a container or AppArmor)`,
    install: null,
  };
}

/** Null when it ran, else what went wrong. */
async function tryRun(program: string, disableUserns: boolean): Promise<string | null> {
  const folder = makeTemporaryFolder('probe');
  try {
    const view = { workspace: folder, scratch: folder, readOnly: [], frozen: [] };
    const sandbox = openBubblewrap(view, { program, disableUserns, hostEnv: {} });
    const outcome = await sandbox.run({
      argv: ['/bin/sh', '-c', 'echo ran'],
      cwd: '',
      stdout: { kind: 'collect', limitBytes: 100 },
      stderrLimitBytes: 1_000,
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    if (Buffer.from(outcome.stdout).toString() === 'ran\n') return null;
    return Buffer.from(outcome.stderr).toString().trim() || `it ended with ${outcome.exitCode ?? outcome.signal}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The system's own program first: a PATH set by `npm` names folders of projects. */
function findBubblewrap(path: string): string | null {
  const folders = path.split(':').filter((folder) => isAbsolute(folder) && !`${folder}/`.includes('/node_modules/'));
  return [...WELL_KNOWN, ...folders].map((folder) => join(folder, 'bwrap')).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const INSTALLERS: readonly (readonly [pattern: RegExp, line: string])[] = [
  [/\b(debian|ubuntu)\b/, 'apt install bubblewrap'],
  [/\b(fedora|rhel|centos)\b/, 'dnf install bubblewrap'],
  [/\b(suse|opensuse)\b/, 'zypper install bubblewrap'],
  [/\barch\b/, 'pacman -S bubblewrap'],
  [/\balpine\b/, 'apk add bubblewrap'],
];

function makeInstallLine(): string {
  let release = '';
  try {
    release = readFileSync('/etc/os-release', 'utf8');
  } catch {
    // A system without one: the most common line below.
  }
  const ids = release
    .split('\n')
    .filter((line) => /^ID(_LIKE)?=/.test(line))
    .join(' ');
  return INSTALLERS.find(([pattern]) => pattern.test(ids))?.[1] ?? 'apt install bubblewrap';
}
