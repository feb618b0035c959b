/** Looks at everything Ramet needs on a machine and says what is missing and how to get it. Changes nothing. */
import { accessSync, constants, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, renderBytes, renderCount } from '@ramet/core';
import { readConfiguration } from '../config/index.ts';
import {
  findNetworkFileSystem,
  findStateFolderFault,
  isGraphSummary,
  listAllRuns,
  nearestFolder,
} from '../inspect/index.ts';
import { runProcess } from '../process/index.ts';
import { probeSandbox } from '../sandbox/index.ts';
import { type FileStore, layoutOf } from '../store/index.ts';
import { listProjects, measureStore } from '../workspace/gc/index.ts';
import { findRepository, readProject } from '../workspace/project/index.ts';

/** `bad`: something will fail; `weak`: something is missing that can be done without. */
export type CheckLevel = 'good' | 'weak' | 'bad';

export interface Check {
  readonly name: string;
  readonly level: CheckLevel;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export interface DoctorRequest {
  readonly store: FileStore;
  /** Where the person stands: its project's `ramet.json` is looked at. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
}

const LOW_SPACE_BYTES = 1024 ** 3;

/** Runs every check. */
export async function examineMachine(request: DoctorRequest): Promise<readonly Check[]> {
  const { store, cwd, env, nodeVersion } = request;
  const { home } = store.layout;
  const tools = await Promise.all([checkGit(env), checkSandbox(), checkSearch(env)]);
  const machine: Check[] = [
    { name: 'node', level: 'good', message: `Node ${nodeVersion}` },
    ...tools,
    await checkConfiguration({ cwd, env, home }),
    checkStateFolder(home),
  ];
  // Of a folder that cannot be there is nothing more to say.
  if (findStateFolderFault(home) !== null) return [...machine, checkKeys(env)];
  return [
    ...machine,
    checkFileSystem(home),
    checkSpace(home),
    checkRuns(store),
    await checkStores(home),
    checkLeftovers(home),
    checkKeys(env),
  ];
}

async function checkGit(env: DoctorRequest['env']): Promise<Check> {
  const version = await readVersion(['git', '--version'], env);
  const found = /(\d+)\.(\d+)/.exec(version ?? '');
  if (version === null || found === null) {
    return { name: 'git', level: 'bad', message: 'git is not on PATH', remedy: 'install git 2.38 or newer' };
  }
  const isOld = Number(found[1]) < 2 || (Number(found[1]) === 2 && Number(found[2]) < 38);
  if (isOld) return { name: 'git', level: 'bad', message: version, remedy: 'install git 2.38 or newer' };
  return { name: 'git', level: 'good', message: version };
}

async function checkSandbox(): Promise<Check> {
  const probe = await probeSandbox();
  if (probe.kind === 'present')
    return { name: 'sandbox', level: 'good', message: `bubblewrap works (${probe.program})` };
  const remedy = probe.install ?? 'pass --no-sandbox to give the agent your own rights';
  return { name: 'sandbox', level: 'bad', message: probe.reason, remedy };
}

async function checkSearch(env: DoctorRequest['env']): Promise<Check> {
  const version = await readVersion(['rg', '--version'], env);
  if (version !== null) return { name: 'search', level: 'good', message: version };
  return {
    name: 'search',
    level: 'weak',
    message: 'ripgrep (rg) is not on PATH: searching is slower',
    remedy: 'install ripgrep',
  };
}

/** A file that cannot be used is refused by every turn. */
async function checkConfiguration(
  place: Pick<DoctorRequest, 'cwd' | 'env'> & { readonly home: string },
): Promise<Check> {
  const { cwd, env, home } = place;
  const name = 'settings';
  const repository = await findRepository(cwd).catch(() => null);
  const checkout = repository === null || isRefusal(repository) ? null : repository.checkout;
  const read = readConfiguration({ env, home, checkout, trustProject: false });
  if (isRefusal(read)) return { name, level: 'bad', message: read.message };
  if (read.project === undefined) return { name, level: 'good', message: 'no ramet.json of a project here' };
  if (read.ignored.length === 0) return { name, level: 'good', message: read.project.path };
  const message = `not used of ${read.project.path} until you confirm it: ${read.ignored.join(', ')}`;
  return { name, level: 'weak', message, remedy: 'confirm it with `ramet trust`' };
}

function checkStateFolder(home: string): Check {
  const fault = findStateFolderFault(home);
  const remedy = 'set RAMET_HOME to a folder you own';
  if (fault !== null) return { name: 'state', level: 'bad', message: `${home} cannot be used: ${fault}`, remedy };
  const folder = nearestFolder(home);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return {
      name: 'state',
      level: 'bad',
      message: `${home} cannot be written`,
      remedy: 'set RAMET_HOME to a folder you own',
    };
  }
  const stats = statSync(home, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & 0o077) !== 0) {
    return { name: 'state', level: 'weak', message: `${home} can be read by others`, remedy: `chmod 700 ${home}` };
  }
  return { name: 'state', level: 'good', message: home };
}

function checkFileSystem(home: string): Check {
  const network = findNetworkFileSystem(home);
  if (network === null) return { name: 'file system', level: 'good', message: 'local' };
  return {
    name: 'file system',
    level: 'bad',
    message: `${home} is on ${network}, where locks cannot be relied on`,
    remedy: 'set RAMET_HOME to a folder on a local disk',
  };
}

function checkSpace(home: string): Check {
  const { bavail, bsize } = statfsSync(nearestFolder(home));
  const free = bavail * bsize;
  const message = `${renderBytes(free)} free`;
  if (free >= LOW_SPACE_BYTES) return { name: 'space', level: 'good', message };
  return {
    name: 'space',
    level: 'weak',
    message,
    remedy: 'free some space: `ramet prune --older-than 30`, then `ramet gc`',
  };
}

function checkRuns(store: FileStore): Check {
  const all = listAllRuns(store);
  const graphs = all.filter(isGraphSummary).length;
  const damaged = all.filter((run) => run.damage !== undefined);
  if (damaged.length === 0) {
    const runs = graphs === 0 ? '' : `, ${renderCount(graphs, 'graph run')}`;
    return { name: 'sessions', level: 'good', message: `${renderCount(all.length - graphs, 'session')}${runs}` };
  }
  const ids = damaged.map((run) => run.id).join(', ');
  return {
    name: 'sessions',
    level: 'bad',
    message: `${damaged.length} of ${all.length} damaged: ${ids}`,
    remedy: `see what is left: ramet verify ${damaged[0]?.id}`,
  };
}

async function checkStores(home: string): Promise<Check> {
  let bytes = 0;
  let shouldCollect = false;
  for (const id of listProjects(home)) {
    const project = await readProject({ stateFolder: home, id });
    if (isRefusal(project)) continue;
    const measured = measureStore(project);
    bytes += measured.bytes;
    shouldCollect ||= measured.shouldCollect;
  }
  const message = `${renderBytes(bytes)} of checkpoints`;
  if (!shouldCollect) return { name: 'checkpoints', level: 'good', message };
  return { name: 'checkpoints', level: 'weak', message: `${message}, in many packs`, remedy: 'run `ramet gc`' };
}

function checkLeftovers(home: string): Check {
  const left = listNames(layoutOf(home).staging);
  if (left.length === 0) return { name: 'leftovers', level: 'good', message: 'none' };
  return {
    name: 'leftovers',
    level: 'weak',
    message: `${renderCount(left.length, 'unfinished fork or removal', 'unfinished forks or removals')}`,
    remedy: 'none needed: the next fork or turn removes them',
  };
}

/** Names of variables only: a key's value is nobody's to print. */
function checkKeys(env: DoctorRequest['env']): Check {
  const names = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'];
  const set = names.filter((name) => (env[name] ?? '').trim() !== '');
  if (set.length > 0) return { name: 'models', level: 'good', message: `set: ${set.join(', ')}` };
  return {
    name: 'models',
    level: 'weak',
    message: `no key of a provider is set (${names.join(', ')})`,
    remedy: 'set one, or use a local endpoint: --model openai-compatible/<name> --base-url http://localhost:11434/v1',
  };
}

async function readVersion(argv: readonly [string, ...string[]], env: DoctorRequest['env']): Promise<string | null> {
  try {
    const outcome = await runProcess({
      argv,
      cwd: '/',
      env: { PATH: env.PATH ?? '', LC_ALL: 'C' },
      stdout: { kind: 'collect', limitBytes: 4096 },
      stderrLimitBytes: 4096,
      timeoutMs: 10_000,
    });
    return outcome.exitCode === 0 ? (outcome.stdout.toString('utf8').split('\n')[0] ?? '').trim() : null;
  } catch {
    return null;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(join(folder));
  } catch {
    return [];
  }
}
