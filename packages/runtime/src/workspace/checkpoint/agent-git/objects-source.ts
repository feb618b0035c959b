/**
 * The agent's objects, as something that can be asked what it has and made to pack it. Nothing it answers is believed:
 * only what `index-pack` accepts into the store under the id it was asked for counts.
 *
 * 1. With a sandbox, git runs inside it: the agent's config, object files and alternates are read there only.
 * 2. Without one, loose objects and packs are copied as bytes into a scratch repository with a config of ours, and
 *    packs are indexed anew, so that none of the agent's own index files is read.
 */
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import type { CommandOutcome, OutputSink, Sandbox } from '../../../sandbox/types.ts';
import { git } from '../../git/index.ts';
import type { CaptureLimits, WorkspaceHandle } from '../../types.ts';
import type { ObjectFormat, ObjectType } from '../objects/format.ts';
import { parseProbe } from '../objects/read.ts';
import { readRegularFile } from './git-files.ts';
import { AgentGitOverLimit, describeBytes, INDEX_THREADS, takeWithin } from './limits.ts';

export interface AgentObjects {
  /** Which of these objects it claims to have. */
  probe(oids: readonly string[]): Promise<Map<string, ObjectType>>;
  /** Writes a pack of what `revisions` (as for `pack-objects --revs`) reach into a new file of ours. */
  pack(revisions: string, file: string): Promise<void>;
  close(): void;
}

/** git does not run on the agent's git directory at all: its own fault, not that of one object. */
export class AgentGitUnusable extends Error {}

/** A question takes no time; a git that waits for something of the agent's (a FIFO for a config) would wait for ever. */
const PROBE_TIMEOUT_MS = 60 * 1000;
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024;
/** git's own depth, whatever the agent's config says: reading a chain of thousands again takes seconds an object. */
const DEPTH = '--depth=50';
const PACK_ARGS = ['pack-objects', '--revs', '--stdout', '--delta-base-offset', DEPTH, '--threads=1', '-q'] as const;
const PROBE_ARGS = ['cat-file', '--batch-check=%(objectname) %(objecttype)'] as const;
/** Replaced and grafted history is a view; the objects themselves are what is kept. */
const AGENT_ENV = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/** Opens the agent's objects the way its sandbox allows. */
export async function openAgentObjects(
  workspace: WorkspaceHandle,
  format: ObjectFormat,
  limits: CaptureLimits,
): Promise<AgentObjects> {
  if (workspace.sandbox.kind === 'none') return openCopied(workspace, format, limits);
  return openSandboxed(workspace.sandbox, limits);
}

/** Under bubblewrap a command ended by signal n exits with 128 + n; SIGXFSZ is 25: the file reached its limit. */
const FILE_LIMIT_EXIT_CODE = 128 + 25;

function openSandboxed(sandbox: Sandbox, limits: CaptureLimits): AgentObjects {
  const run = async (
    args: readonly string[],
    stdin: string,
    { stdout, timeoutMs }: { readonly stdout: OutputSink; readonly timeoutMs: number },
  ): Promise<CommandOutcome> =>
    sandbox.run({
      argv: ['git', '--git-dir=.git', '--work-tree=.', ...args],
      cwd: '',
      env: AGENT_ENV,
      stdin: Buffer.from(stdin),
      stdout,
      stderrLimitBytes: 16 * 1024,
      timeoutMs,
    });
  return {
    probe: async (oids) => {
      const outcome = await run(PROBE_ARGS, `${oids.join('\n')}\n`, {
        stdout: { kind: 'collect', limitBytes: ANSWER_LIMIT_BYTES },
        timeoutMs: PROBE_TIMEOUT_MS,
      });
      if (outcome.exitCode !== 0 || outcome.droppedBytes.stdout > 0)
        throw new AgentGitUnusable(describe(outcome, PROBE_TIMEOUT_MS));
      return parseProbe(Buffer.from(outcome.stdout).toString('latin1'));
    },
    pack: async (revisions, file) => {
      const { packBytes, packTimeMs } = limits;
      const stdout = { kind: 'file', path: file, limitBytes: packBytes } as const;
      const outcome = await run(PACK_ARGS, revisions, { stdout, timeoutMs: packTimeMs });
      if (outcome.timedOut) throw new AgentGitOverLimit(`git pack-objects took longer than ${packTimeMs} ms`);
      if (outcome.exitCode === FILE_LIMIT_EXIT_CODE) {
        throw new AgentGitOverLimit(`its new objects are more than ${describeBytes(packBytes)}`);
      }
      if (outcome.exitCode !== 0) {
        throw new Failure(
          'checkpoint_failed',
          `git pack-objects in the workspace failed: ${describe(outcome, packTimeMs)}`,
        );
      }
    },
    close: () => undefined,
  };
}

function describe(outcome: CommandOutcome, timeoutMs: number): string {
  if (outcome.timedOut) return `it took longer than ${timeoutMs} ms`;
  const lines = Buffer.from(outcome.stderr).toString().trim().split('\n');
  return lines.at(-1) || `exit code ${outcome.exitCode ?? outcome.signal}`;
}

async function openCopied(
  workspace: WorkspaceHandle,
  format: ObjectFormat,
  limits: CaptureLimits,
): Promise<AgentObjects> {
  const scratch = join(workspace.privateFolder, 'scratch.git');
  const close = () => rmSync(scratch, { recursive: true, force: true });
  close();
  makeScratch(scratch, workspace, format);
  try {
    const packs = copyObjects(join(workspace.path, '.git', 'objects'), join(scratch, 'objects'), limits.packBytes);
    await indexPacks(scratch, packs, limits.packTimeMs);
  } catch (error) {
    close();
    throw error;
  }
  return {
    probe: async (oids) => {
      const outcome = await git({ gitDir: scratch, args: PROBE_ARGS, stdin: `${oids.join('\n')}\n` });
      return parseProbe(outcome.stdout.toString('latin1'));
    },
    pack: async (revisions, file) => {
      const outcome = await takeWithin(limits.packTimeMs, {
        gitDir: scratch,
        args: PACK_ARGS,
        stdin: revisions,
        env: { GIT_GRAFT_FILE: '/dev/null' },
      });
      await writeFile(file, outcome.stdout, { flag: 'wx', mode: 0o600 });
    },
    close,
  };
}

/** All packs together have the time of one. */
async function indexPacks(scratch: string, packs: readonly string[], timeMs: number): Promise<void> {
  const end = Date.now() + timeMs;
  for (const pack of packs) {
    const left = Math.max(1, end - Date.now());
    await takeWithin(left, { gitDir: scratch, args: ['index-pack', `--threads=${INDEX_THREADS}`, pack] }).catch(
      (cause) => {
        if (cause instanceof AgentGitOverLimit) throw cause;
        const why = (cause as Error).message;
        throw new Failure('checkpoint_failed', `A pack of the workspace's .git is damaged: ${why}`);
      },
    );
  }
}

function makeScratch(scratch: string, workspace: WorkspaceHandle, format: ObjectFormat): void {
  for (const folder of ['objects/info', 'objects/pack', 'refs']) {
    mkdirSync(join(scratch, folder), { recursive: true, mode: 0o700 });
  }
  const extension = format.name === 'sha256' ? '[extensions]\n\tobjectformat = sha256\n' : '';
  const version = format.name === 'sha256' ? 1 : 0;
  writeFileSync(join(scratch, 'config'), `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n${extension}`);
  writeFileSync(join(scratch, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(scratch, 'objects/info/alternates'), `${join(workspace.project.baseGit, 'objects')}\n`);
  const shallow = readRegularFile(workspace.path, '.git/shallow');
  if (shallow !== null) writeFileSync(join(scratch, 'shallow'), shallow.bytes);
}

/** Copies loose objects and packs, regular files under git's own names only; returns the packs. */
function copyObjects(from: string, to: string, limitBytes: number): string[] {
  const packs: string[] = [];
  let bytes = 0;
  for (const folder of listFolder(from)) {
    const wanted = folder === 'pack' ? /^pack-[0-9a-f]+\.pack$/ : /^[0-9a-f]{38,62}$/;
    if (folder !== 'pack' && !/^[0-9a-f]{2}$/.test(folder)) continue;
    if (!lstatSync(join(from, folder)).isDirectory()) continue;
    mkdirSync(join(to, folder), { recursive: true, mode: 0o700 });
    for (const name of listFolder(join(from, folder))) {
      const stats = lstatSync(join(from, folder, name));
      if (!wanted.test(name) || !stats.isFile()) continue;
      // Counted before it is copied: a sparse file of the agent's takes no room until then.
      bytes += stats.size;
      if (bytes > limitBytes) throw new AgentGitOverLimit(`its objects are more than ${describeBytes(limitBytes)}`);
      copyFileSync(join(from, folder, name), join(to, folder, name), constants.COPYFILE_FICLONE);
      if (folder === 'pack') packs.push(join(to, folder, name));
    }
  }
  return packs;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
