import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type LoggedEvent, type Refusal } from '@ramet/core';
import { callShell, callTool, type EndedTurn, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnResult } from '../../src/session/index.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

function ended(result: TurnResult | Refusal): EndedTurn {
  if (isRefusal(result) || result.kind !== 'ended') throw new Error(JSON.stringify(result));
  return result;
}

const typesOf = (events: readonly LoggedEvent[]): readonly string[] => events.map(({ type }) => type);

describe('a turn', () => {
  it('records each effect before it is relied on, and ends with its checkpoint', async () => {
    const one = await h.turn(null, 'echo hi > new; pwd');
    expect(typesOf(h.eventsOf(one.session))).toEqual([
      'session.start',
      'workspace.open',
      'session.config',
      'workspace.checkpoint',
      'message',
      'model.request',
      'model.response',
      'tool.intent',
      'tool.result',
      'model.request',
      'model.response',
      'workspace.checkpoint',
      'session.end',
    ]);
    const [result] = h.eventsOfType(one.session, 'tool.result');
    expect(result?.output).toMatchObject({ type: 'json', value: { exitCode: 0, stdout: '/work\n' } });
    expect(one).toMatchObject({ turn: 1, end: { offset: 12, reason: 'completed' }, text: 'done', denied: [] });
    expect(readFileSync(join(h.workspaceOf(one.session), 'new'), 'utf8')).toBe('hi\n');
    expect(existsSync(join(h.repository, 'new'))).toBe(false);
    const two = await h.turn(one.session, 'cat new');
    expect(two).toMatchObject({ turn: 2, session: one.session });
    expect(h.problems()).toEqual([]);
  });

  it('makes the calls of one reply in order, and tells the model of each', async () => {
    const calls = ['a', 'b', 'c'].map((name) => ({ name: 'shell', input: { command: `echo ${name} >> order` } }));
    const { session } = ended(await h.run(null, [{ toolCalls: calls }, { text: 'done' }]));
    expect(readFileSync(join(h.workspaceOf(session), 'order'), 'utf8')).toBe('a\nb\nc\n');
    const intents = h.eventsOfType(session, 'tool.intent');
    expect(new Set(intents.map(({ key }) => key)).size).toBe(3);
    expect(h.problems()).toEqual([]);
  });

  it('answers a tool that does not exist and an input of another kind, and goes on', async () => {
    const replies = [
      callTool('fly', {}),
      callTool('shell', '{"command": "tru'),
      callTool('write_file', { path: 1 }),
      { text: 'sorry' },
    ];
    const result = ended(await h.run(null, replies));
    const outcomes = h.eventsOfType(result.session, 'tool.result').map(({ outcome, output }) => [outcome, output.type]);
    expect(outcomes).toEqual([
      ['error', 'error-text'],
      ['error', 'error-text'],
      ['error', 'error-text'],
    ]);
    expect(result.end.reason).toBe('completed');
    expect(h.problems()).toEqual([]);
  });

  it('completes on an empty reply', async () => {
    const result = ended(await h.run(null, [{}]));
    expect(result).toMatchObject({ text: '', end: { reason: 'completed' } });
    const again = await h.turn(result.session, 'true');
    expect(again.end.reason).toBe('completed');
  });

  it('fails with script_exhausted when the script has no further reply, and the session goes on', async () => {
    const result = ended(await h.run(null, [callShell('true')]));
    expect(result).toMatchObject({ end: { reason: 'failed' }, error: { code: 'script_exhausted' } });
    expect((await h.turn(result.session, 'true')).turn).toBe(2);
  });

  it('keeps what it cannot fit in a line beside the log: output, prompt and attachment', async () => {
    const data = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
    const prompt = 'p'.repeat(400_000);
    const attachments = [{ mediaType: 'image/png', filename: 'a.png', data }];
    const { session } = ended(
      await h.run(null, [callShell('yes | head -c 3000000'), { text: 'ok' }], { prompt, attachments }),
    );
    const [message] = h.eventsOfType(session, 'message');
    expect(message?.message.content).toMatchObject([
      { type: 'text', text: { bytes: 400_000, encoding: 'utf8' } },
      { type: 'file', filename: 'a.png', data: { bytes: 300_000, encoding: 'binary' } },
    ]);
    const [result] = h.eventsOfType(session, 'tool.result');
    expect(result?.output).toMatchObject({ value: { truncated: true } });
    expect(Math.max(...h.eventsOf(session).map((event) => JSON.stringify(event).length))).toBeLessThan(200_000);
    expect((await h.turn(session, 'true')).end.reason).toBe('completed');
    expect(h.problems()).toEqual([]);
  });

  it('leaves no file of its /tmp behind', async () => {
    const { session } = await h.turn(null, 'mkdir -p /tmp/deep && echo secret > /tmp/deep/file && chmod 000 /tmp/deep');
    expect(existsSync(join(h.store.pathsOf(session).sandbox, 'tmp'))).toBe(false);
    const again = await h.turn(session, 'ls -A /tmp');
    expect(JSON.stringify(h.eventsOfType(again.session, 'tool.result').at(-1)?.output)).not.toContain('deep');
  });

  it('answers a call whose folder the agent removed', async () => {
    const files = { 'front/a': 'a\n', 'back/b': 'b\n' };
    const other = makeSessionHarness({ files });
    const created = { cwd: join(other.repository, 'front') };
    const replies = [callShell('rm -rf /work/front'), callShell('echo still'), { text: 'done' }];
    const result = ended(await other.run(null, replies, { created }));
    expect(result.end.reason).toBe('completed');
    const free = ended(
      await other.run(result.session, replies, { settings: { sandbox: 'none', rules: [{ tool: '*', do: 'allow' }] } }),
    );
    expect(free.end.reason).toBe('completed');
    other.remove();
  });

  it('keeps what somebody changed between turns in a checkpoint of its own', async () => {
    const notices: string[] = [];
    const { session } = await h.turn(null, 'echo 1 > f');
    writeFileSync(join(h.workspaceOf(session), 'foreign'), 'from outside\n');
    await h.turn(session, 'true', { observer: { notice: (text) => notices.push(text) } });
    expect(notices).toHaveLength(1);
    // The state the workspace opened with, the end of each turn, and what was changed between them.
    expect(h.eventsOfType(session, 'workspace.checkpoint')).toHaveLength(4);
    await h.turn(session, 'true', { observer: { notice: (text) => notices.push(text) } });
    expect(notices).toHaveLength(1);
    expect(h.problems()).toEqual([]);
  });

  it('counts what the agent changed from the state the workspace opened with', async () => {
    writeFileSync(join(h.repository, '.git/info/exclude'), '.env\n');
    writeFileSync(join(h.repository, '.env'), 'SECRET=1\n');
    writeFileSync(join(h.repository, 'mine.txt'), 'mine\n');
    const created = { allowDirty: true };
    const { session } = await h.turn(null, 'true', { created });
    const other = await h.turn(null, 'echo x > sub.txt', { created });
    const [opening, end] = h.eventsOfType(session, 'workspace.checkpoint');
    expect(opening?.changed.paths).toEqual(['.env', 'mine.txt']);
    expect(end).toMatchObject({ id: opening?.id, changed: { added: 0, modified: 0, deleted: 0, paths: [] } });
    expect(h.eventsOfType(other.session, 'workspace.checkpoint').at(-1)?.changed.paths).toEqual(['sub.txt']);
    expect(h.problems()).toEqual([]);
  });

  it('brings back the state the workspace opened with when it goes before the first turn has ended', async () => {
    writeFileSync(join(h.repository, 'mine.txt'), 'mine\n');
    const { session } = await h.turn(null, 'true', { created: { allowDirty: true } });
    const [opening] = h.eventsOfType(session, 'workspace.checkpoint');
    const at = h.eventsOfType(session, 'message')[0]?.seq ?? 0;
    const log = join(h.home, 'runs', session, 'log/000000000000.jsonl');
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, at);
    writeFileSync(log, `${lines.join('\n')}\n`);
    rmSync(log.replace('.jsonl', '.idx'), { force: true });
    rmSync(h.workspaceOf(session), { recursive: true });
    await h.turn(session, 'true');
    expect(h.eventsOfType(session, 'workspace.restore')).toMatchObject([
      { outcome: 'restored', checkpoint: opening?.id },
    ]);
    expect(readFileSync(join(h.workspaceOf(session), 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('goes on without the checkpoints of its project, and says what became of the files', async () => {
    const { session } = await h.turn(null, 'echo 1 > f; git add f');
    const child = await h.fork(session, 1);
    const { project } = h.eventsOfType(session, 'session.start')[0] ?? {};
    rmSync(join(h.home, 'projects', String(project), 'store.git', 'objects', 'pack'), { recursive: true });
    const fresh = await h.turn(child, 'ls');
    expect(fresh.end.reason).toBe('completed');
    expect(h.eventsOfType(child, 'workspace.restore')[0]).toMatchObject({ outcome: 'fresh', checkpoint: null });
    expect(JSON.stringify(h.eventsOfType(child, 'message').at(-1)?.notices)).toContain('were not restored');
    const own = await h.turn(session, 'cat f');
    expect(own).toMatchObject({ end: { reason: 'completed' }, checkpoint: { type: 'workspace.checkpoint' } });
    expect(h.problems()).toEqual([]);
  });
});

describe('a refused turn', () => {
  it('leaves a session as it was', async () => {
    const { session } = await h.turn(null, 'true');
    const before = h.logOf(session);
    expect(await h.run(session, null, { prompt: null })).toMatchObject({ code: 'no_open_turn' });
    expect(await h.run(session, null, { settings: { model: 'scripted:/nowhere' } })).toMatchObject({
      code: 'bad_script',
    });
    expect(await h.run(session, null, { settings: { model: 'anthropic/x' } })).toMatchObject({ code: 'no_key' });
    expect(h.logOf(session).equals(before)).toBe(true);
  });

  it('makes no session', async () => {
    expect(await h.run(null, null)).toMatchObject({ code: 'no_model' });
    expect(await h.run(null, [], { prompt: null })).toMatchObject({ code: 'nothing_to_do' });
    expect(h.store.listRuns()).toEqual([]);
  });
});
