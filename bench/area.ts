/** A folder for one benchmark run, and the logs and repositories it works on. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventDraft, isRefusal, makeRunId, type RunId, SCHEMA } from '@ramet/core';
import { type FileStore, openFileStore } from '@ramet/runtime/store';

export interface Area {
  readonly folder: string;
  remove(): void;
}

/** Makes the folder; nothing is deleted before the end of the run, since creating files after mass deletes is slow. */
export function makeArea(): Area {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Events of a turn: message, request, reply, checkpoint, end. */
export const EVENTS_PER_TURN = 5;

/** The events of one turn, about `bytes` of them. */
export function draftTurn(bytes: number): readonly EventDraft[] {
  const checkpoint = 'c'.repeat(40);
  return [
    { type: 'message', message: { role: 'user', content: 'x'.repeat(Math.max(bytes - 1000, 1)) } },
    { type: 'model.request', digest: 'a'.repeat(64) as never, model: 'bench', attempt: 1, purpose: 'turn' },
    {
      type: 'model.response',
      model: 'bench',
      attempt: 1,
      purpose: 'turn',
      message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      usage: { inputTokens: 1000, outputTokens: 100 },
    },
    {
      type: 'workspace.checkpoint',
      id: checkpoint,
      files: 1,
      bytes: 1,
      head: 'ref: refs/heads/main',
      commit: null,
      operation: null,
      leftOut: [],
      changed: { added: 0, modified: 0, deleted: 0, paths: [] },
    },
    { type: 'session.end', reason: 'completed', checkpoint },
  ];
}

/** Opens a store with the clock of this machine. */
export function openStore(home: string): FileStore {
  return openFileStore({ home, now: () => Date.now() });
}

/** A new run id. */
export function makeId(): RunId {
  return makeRunId(Date.now(), randomBytes(10));
}

/** Makes a session of about this many events, a kilobyte each. */
export async function makeSession(store: FileStore, events: number): Promise<RunId> {
  const id = makeId();
  const staged = store.stage(id);
  const versions = { bench: '1' };
  staged.append([{ type: 'session.start', schema: SCHEMA, id, project: null, cwd: '', workspace: 'none', versions }]);
  await staged.commit();
  const log = await store.own(id);
  if (isRefusal(log)) throw new Error(log.message);
  for (let count = 0; count < events; count += EVENTS_PER_TURN) {
    await log.append(draftTurn(EVENTS_PER_TURN * 1000), { durable: false });
  }
  log.close();
  return id;
}

/** Makes a repository with this many small files in folders of a hundred, committed. */
export function makeRepository(folder: string, files: number): string {
  mkdirSync(folder);
  for (let index = 0; index < files; index += 1) {
    const below = join(folder, `d${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(below);
    writeFileSync(join(below, `f${index}.txt`), `file ${index}\n${'text '.repeat(index % 200)}\n`);
  }
  runGit(folder, ['init', '-q', '-b', 'main']);
  runGit(folder, ['config', 'user.name', 'Bench']);
  runGit(folder, ['config', 'user.email', 'bench@example.org']);
  runGit(folder, ['add', '-A']);
  runGit(folder, ['commit', '-qm', 'files']);
  return folder;
}

/** Runs git in a folder of ours. */
export function runGit(cwd: string, args: readonly string[]): void {
  const done = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
}
