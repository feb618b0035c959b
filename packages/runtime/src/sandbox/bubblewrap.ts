/**
 * Runs commands under bubblewrap.
 *
 * 1. bubblewrap itself starts with an empty environment: its own is readable inside (`/proc/1/environ`).
 * 2. A run ends when the first process of its pid namespace is dead: the kernel kills all others before that.
 * 3. What runs inside ends with us, also when we are killed: bubblewrap sees to it, and nothing begins before it does.
 * 4. Runs of one sandbox follow one another: mount points are made while no process of the run lives.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, readSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import { GATE_DESCRIPTOR, makeGatedCommand, type ProcessOutcome, runProcess } from '../process/index.ts';
import { BRIDGE_FOLDER, makeBridgeBinds, makeBridgeCommand, makeBridgeEnvironment } from './bridge.ts';
import { type BubblewrapConfig, makeBubblewrapArguments } from './bubblewrap-arguments.ts';
import { makeInsideEnvironment } from './environment.ts';
import { type Account, makeEtcFiles, makeGitConfig, openNamelessFile } from './generated-files.ts';
import { makeFrozenMounts, makeMountPoints, removeMountPoints } from './mount-points.ts';
import { parseChildPid, waitForDeath } from './namespace-end.ts';
import type { NetworkProxy } from './proxy.ts';
import { makeSystemCallFilter } from './seccomp.ts';
import { readSystemView, SYSTEM_FOLDERS, type SystemView } from './system-view.ts';
import { isWithin, readToolchains, type Toolchains } from './toolchains.ts';
import type { CommandOutcome, OutputSink, Sandbox, SandboxCommand, SandboxView } from './types.ts';

export interface BubblewrapOptions {
  readonly program: string;
  readonly disableUserns: boolean;
  /** The person's environment; what of it a command gets is decided here. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

const GUEST_WORKSPACE = '/work';
const GUEST_SCRATCH = '/tmp';
const PRLIMIT = '/usr/bin/prlimit';
const MAX_PROCESSES = 4096;
/** After the gate comes bubblewrap's status; generated files follow, the filter last. */
const STATUS_DESCRIPTOR = GATE_DESCRIPTOR + 1;

/** What stays the same for all commands of a sandbox. */
interface Setting {
  readonly options: BubblewrapOptions;
  readonly view: SandboxView;
  readonly system: SystemView;
  readonly toolchains: Toolchains;
  readonly account: Account;
  readonly filter: Buffer | null;
}

/** A sandbox in which every command runs under bubblewrap. */
export function openBubblewrap(view: SandboxView, options: BubblewrapOptions): Sandbox {
  const setting: Setting = {
    options,
    view,
    system: readSystemView(),
    toolchains: readToolchains({
      path: options.hostEnv.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      home: homedir(),
      // A toolchain at a path that means the workspace inside would cover a part of it.
      hidden: [view.workspace, view.scratch, ...view.readOnly, ...(view.hidden ?? []), GUEST_WORKSPACE],
      system: [...SYSTEM_FOLDERS, '/bin', '/sbin'],
    }),
    account: readAccount(),
    filter: makeSystemCallFilter(process.arch),
  };
  let last: Promise<unknown> = Promise.resolve();
  const run = (command: SandboxCommand) => {
    const outcome = last.then(() => runWithNetwork(setting, command));
    last = outcome.catch(() => undefined);
    return outcome;
  };
  return { kind: 'bubblewrap', guestPath: GUEST_WORKSPACE, run };
}

async function runWithNetwork(setting: Setting, command: SandboxCommand): Promise<CommandOutcome> {
  const hosts = command.allowNet ?? [];
  if (hosts.length === 0) return runConfined(setting, command, null);
  // Node's HTTP takes longer to load than all of this, and most calls have no network.
  const { openNetworkProxy } = await import('./proxy.ts');
  const proxy = await openNetworkProxy(hosts, command.onRefusedEgress);
  try {
    return await runConfined(setting, command, proxy);
  } finally {
    await proxy.close();
  }
}

async function runConfined(
  setting: Setting,
  command: SandboxCommand,
  proxy: NetworkProxy | null,
): Promise<CommandOutcome> {
  const { view } = setting;
  const files = makeEtcFiles(setting.account, makeGitConfig(view.identity));
  const descriptors: number[] = [];
  const made: string[] = [];
  try {
    for (const content of [
      '',
      ...files.map(([, content]) => content),
      ...(setting.filter === null ? [] : [setting.filter]),
    ]) {
      descriptors.push(openNamelessFile(content));
    }
    makeHome(view.scratch);
    made.push(...makeAllMountPoints(setting));
    const config = makeConfig({ setting, command, proxy, etcPaths: files.map(([path]) => path) });
    const outcome = await runProcess({ ...toProcessSpec(command), argv: makeBubblewrapArguments(config), descriptors });
    await waitForEnd(outcome, descriptors[0] as number);
    return toCommandOutcome(outcome, proxy);
  } finally {
    descriptors.forEach(closeSync);
    removeMountPoints(made);
  }
}

interface ConfigParts {
  readonly setting: Setting;
  readonly command: SandboxCommand;
  readonly proxy: NetworkProxy | null;
  readonly etcPaths: readonly string[];
}

function makeConfig({ setting, command, proxy, etcPaths }: ConfigParts): BubblewrapConfig {
  const { options, view, system, toolchains } = setting;
  const workspace = { source: view.workspace, target: GUEST_WORKSPACE };
  const env = makeInsideEnvironment({
    host: options.hostEnv,
    path: toolchains.path,
    userName: setting.account.name,
    toolchain: toolchains.env,
  });
  return {
    program: options.program,
    disableUserns: options.disableUserns,
    system: system.binds,
    links: system.links,
    generated: etcPaths.map((target, index) => ({ descriptor: STATUS_DESCRIPTOR + 1 + index, target })),
    procReadOnly: system.procReadOnly,
    procMasked: system.procMasked,
    workspace,
    scratch: { source: view.scratch, target: GUEST_SCRATCH },
    toolchains: toolchains.prefixes,
    hiddenFolders: hiddenInside(setting),
    hiddenFiles: toolchains.hiddenFiles,
    readOnly: view.readOnly,
    ...makeFrozenMounts(workspace, view.frozen),
    bridge: proxy === null ? [] : makeBridgeBinds(proxy.socketPath),
    env: { ...env, ...(proxy === null ? {} : makeBridgeEnvironment(command.allowNet ?? [])), ...command.env },
    cwd: join(GUEST_WORKSPACE, command.cwd),
    argv: makeGatedCommand(withLimits(proxy === null ? command.argv : makeBridgeCommand(command.argv), command.stdout)),
    statusDescriptor: STATUS_DESCRIPTOR,
    filterDescriptor: setting.filter === null ? null : STATUS_DESCRIPTOR + 1 + etcPaths.length,
  };
}

/** The person's home and what the caller hides, where they lie in a folder that is shown as part of the system. */
function hiddenInside({ system, view }: Setting): string[] {
  const shown = system.binds.map(({ target }) => target);
  const candidates = [homedir(), view.workspace, view.scratch, ...(view.hidden ?? [])];
  const found = candidates.filter((path) => existsSync(path) && shown.some((root) => path.startsWith(`${root}/`)));
  const isInAnother = (path: string) => found.some((other) => other !== path && isWithin(path, other));
  return [...new Set(found)].filter((path) => !isInAnother(path));
}

/**
 * Limits the number of processes, counted in the sandbox's own user namespace. The kernel exempts root: there a fork
 * bomb ends with the call's timeout. Without capabilities no limit can be raised again.
 */
function withLimits(argv: readonly [string, ...string[]], stdout: OutputSink): readonly [string, ...string[]] {
  if (!existsSync(PRLIMIT)) return argv;
  const fileBytes = stdout.kind === 'file' ? stdout.limitBytes : undefined;
  const fileLimit = fileBytes === undefined ? [] : [`--fsize=${fileBytes}:${fileBytes}`];
  return [PRLIMIT, `--nproc=${MAX_PROCESSES}:${MAX_PROCESSES}`, '--core=0:0', ...fileLimit, '--', ...argv];
}

function makeAllMountPoints({ view, toolchains }: Setting): string[] {
  const targets = [...toolchains.prefixes, ...view.readOnly, BRIDGE_FOLDER];
  const inScratch = makeMountPoints({ source: view.scratch, target: GUEST_SCRATCH }, targets, 'replace');
  const inWorkspace = makeMountPoints({ source: view.workspace, target: GUEST_WORKSPACE }, targets, 'fail');
  return [...inScratch, ...inWorkspace];
}

/** HOME of commands; what an agent put in its place (a link, a file) is its own matter. */
function makeHome(scratch: string): void {
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const home = join(scratch, 'home');
  if (!existsSync(home)) {
    try {
      mkdirSync(home, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  chmodSync(scratch, 0o700);
}

function toProcessSpec(command: SandboxCommand) {
  const { argv: _argv, env: _env, cwd: _cwd, allowNet: _allowNet, onRefusedEgress: _onRefused, ...rest } = command;
  return { ...rest, cwd: '/', env: {}, realPipes: true, gated: true };
}

async function waitForEnd(outcome: ProcessOutcome, statusDescriptor: number): Promise<void> {
  const status = readStatus(statusDescriptor);
  const pid = parseChildPid(status);
  if (pid !== null) await waitForDeath(pid);
  const started = status.includes('"exit-code"') || outcome.timedOut || outcome.aborted;
  if (started) return;
  const reason = outcome.stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
  throw new Failure(
    'process_failed',
    `The sandbox could not be set up: ${reason || `bubblewrap ended with ${outcome.exitCode ?? outcome.signal}`}.`,
    {
      data: { exitCode: outcome.exitCode, signal: outcome.signal },
    },
  );
}

function readStatus(descriptor: number): string {
  const bytes = Buffer.alloc(4096);
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
}

function toCommandOutcome(outcome: ProcessOutcome, proxy: NetworkProxy | null): CommandOutcome {
  return { ...outcome, egress: proxy?.egress() ?? [], refusedEgress: proxy?.refused() ?? [] };
}

function readAccount(): Account {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  return { name: readUserName(), uid, gid };
}

function readUserName(): string {
  try {
    const { username } = userInfo();
    return /^[a-z_][a-z0-9_-]*$/i.test(username) ? username : 'user';
  } catch {
    return 'user';
  }
}
