/** What went wrong in other tools of this kind, one test a case; B14 and so on name them. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepository } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { openStage, type Reply, type Stage, skipWithoutSandbox } from './support/stage.ts';
import { listRuns } from './support/store.ts';

/** Without a workspace a turn takes no checkpoint and is quick. */
const NO_FILES = { args: ['--workspace', 'none'] };

const counted = (text: string): Reply => ({ text, usage: { inputTokens: 1000, outputTokens: 100 } });

interface UsageRow {
  readonly id: string;
  readonly own: { readonly inputTokens: number; readonly outputTokens: number };
  readonly inherited: { readonly inputTokens: number };
}

async function readUsage(stage: Stage) {
  const answer = await stage.ask(['usage']);
  const { total, sessions } = answer as unknown as { total: UsageRow['own']; sessions: readonly UsageRow[] };
  return { total, of: (id: string) => sessions.find((row) => row.id === id) };
}

describe.concurrent('cases', { timeout: 240_000 }, () => {
  test('B14: a child’s bill does not contain its parent’s', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const { session } = await stage.play(null, [counted('1')], NO_FILES);
    for (const text of ['2', '3', '4']) await stage.play(session, [counted(text)]);
    const [a, b] = [await stage.fork(session, 4), await stage.fork(session, 2)];
    const [c, idle] = [await stage.fork(a, 4), await stage.fork(session, 1)];
    for (const child of [a, b, c]) await stage.play(child, [counted('own')]);
    const own = { inputTokens: 1000, outputTokens: 100 };
    const check = async () => {
      const usage = await readUsage(stage);
      expect(usage.total).toMatchObject({ inputTokens: 7000, outputTokens: 700 });
      expect(usage.of(a)).toMatchObject({ own, inherited: { inputTokens: 4000 } });
      expect(usage.of(b)).toMatchObject({ own, inherited: { inputTokens: 2000 } });
      expect(usage.of(c)).toMatchObject({ own, inherited: { inputTokens: 4000 } });
      expect(usage.of(idle)).toMatchObject({ own: { inputTokens: 0, outputTokens: 0 } });
    };
    await check();
    expect((await readUsage(stage)).of(session)).toMatchObject({ own: { inputTokens: 4000, outputTokens: 400 } });
    await stage.ask(['remove', session, '--yes']);
    await check();
    const limited = (tokens: number) => [
      'run',
      '--session',
      c,
      '--model',
      script,
      '--max-tokens',
      String(tokens),
      'on',
    ];
    const script = stage.writeScript([counted('more')]);
    expect(await stage.ask(limited(1100), { exit: 4 })).toMatchObject({ end: { reason: 'limit' } });
    expect(await stage.ask(limited(1101))).toMatchObject({ end: { reason: 'completed' } });
  });

  test('B17: a fork of a fork, of an inherited turn, twice at one point, after its parent is gone', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const { session } = await stage.turn(null, 'echo 1 > one');
    const first = await stage.fingerprintOf(session);
    await stage.turn(session, 'echo 2 > two; rm base.txt; git add -A; git commit -qm two');
    const second = await stage.fingerprintOf(session);
    await stage.turn(session, 'echo 3 > three; git stash -qu');
    const [left, right] = [await stage.fork(session, 2), await stage.fork(session, 2)];
    const shared = stage.logOf(left).subarray(0, stage.logOf(left).lastIndexOf('\n', -2) + 1);
    expect(stage.logOf(right).subarray(0, shared.length)).toEqual(shared);
    expect(stage.logOf(session).subarray(0, shared.length)).toEqual(shared);
    await stage.ask(['remove', session, left, '--yes']);
    let parent = right;
    for (let depth = 1; depth <= 4; depth += 1) {
      const child = await stage.fork(parent, depth + 1);
      expect(stage.eventsOfType(child, 'session.fork').at(-1)).toMatchObject({ id: child, parent });
      expect(stage.logOf(child).subarray(0, shared.length)).toEqual(shared);
      await stage.turn(child, 'git --no-optional-locks status >/dev/null');
      expect(await stage.fingerprintOf(child)).toEqual(second);
      parent = child;
    }
    const early = await stage.fork(parent, 1);
    await stage.turn(early, 'git --no-optional-locks status >/dev/null');
    expect(await stage.fingerprintOf(early)).toEqual(first);
    expect(await stage.ask(['verify', '--all'])).toMatchObject({ ok: true });
    expect(await stage.ask(['show', early])).toMatchObject({ turns: [{ inherited: true }, { inherited: false }] });
  });

  test('B21: a child is itself, whatever its log begins with', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const elsewhere = makeRepository(stage.area, 'elsewhere', { 'x.txt': 'x\n' });
    const other = await stage.play(null, [{ text: 'other' }], { cwd: elsewhere });
    const { session } = await stage.play(null, [{ text: 'one' }], { args: ['--title', 'one'] });
    const before = stage.logOf(session);
    const child = await stage.fork(session, 1);
    const seen = async (id: string) => {
      const [shown, listed] = [await stage.ask(['show', id]), await stage.ask(['sessions'])];
      const row = (listed.sessions as readonly Record<string, unknown>[]).find((entry) => entry.id === id);
      for (const field of ['id', 'title', 'titleFrom', 'model', 'createdAt', 'forkedFrom']) {
        expect(row?.[field], field).toEqual(shown[field]);
      }
      expect(row?.turns).toBe((shown.turns as readonly unknown[]).length);
      return shown;
    };
    expect(await seen(child)).toMatchObject({
      id: child,
      title: 'one',
      titleFrom: 'inherited',
      forkedFrom: { id: session },
    });
    await stage.ask(['title', child, 'two']);
    await stage.play(child, [{ text: 'its own' }]);
    expect(await seen(child)).toMatchObject({
      title: 'two',
      titleFrom: 'own',
      model: expect.stringContaining('script-3'),
    });
    const grandchild = await stage.fork(child);
    await stage.ask(['title', session, 'renamed']);
    const [parent, two, three] = [await seen(session), await seen(child), await seen(grandchild)];
    expect(parent).toMatchObject({
      title: 'renamed',
      turns: [{ turn: 1 }],
      model: expect.stringContaining('script-2'),
    });
    expect(parent).not.toHaveProperty('forkedFrom');
    expect(two).toMatchObject({ id: child, title: 'two', forkedFrom: { id: session } });
    expect(three).toMatchObject({ id: grandchild, title: 'two', titleFrom: 'inherited', forkedFrom: { id: child } });
    expect(new Set([parent, two, three].map(({ createdAt }) => createdAt)).size).toBe(3);
    expect(stage.logOf(session).subarray(0, before.length)).toEqual(before);
    const script = stage.writeScript([{ text: 'on' }]);
    const goOn = ['run', '--continue', '--model', script, 'on'];
    expect(await stage.ask(goOn, { cwd: elsewhere })).toMatchObject({ session: other.session });
    expect(await stage.ask(goOn)).toMatchObject({ session });
  });

  test('B23: what lies beside a log comes along, and goes with its last user', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const image = join(stage.area.folder, 'image.png');
    writeFileSync(image, Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(600_000, 7)]));
    const { session } = await stage.play(null, [{ text: 'seen' }], {
      args: ['--workspace', 'none', '--attach', image],
    });
    await stage.play(session, [{ toolCalls: [], text: 'x'.repeat(400_000) }]);
    const blobsOf = (id: string) => readdirSync(join(stage.folderOf(id), 'blobs')).sort();
    expect(blobsOf(session)).toHaveLength(2);
    const [early, late] = [await stage.fork(session, 1), await stage.fork(session, 2)];
    expect(blobsOf(late)).toEqual(blobsOf(session));
    await stage.ask(['remove', session, '--yes']);
    await stage.ask(['prune', '--older-than', '1', '--yes']);
    expect(await stage.ask(['verify', early, late])).toMatchObject({ ok: true });
    expect((await stage.ramet(['show', late, '--full'])).stdout).toContain('x'.repeat(400_000));
    const { home, env } = stage.copyState('lost');
    const [lost = ''] = blobsOf(early);
    rmSync(join(home, 'runs', early, 'blobs', lost));
    const verified = await stage.ask(['verify', early], { exit: 6, env });
    expect(verified).toMatchObject({ problems: [{ kind: 'payload', file: `blobs/${lost}` }] });
    await stage.ask(['remove', early, late, '--yes']);
    expect(listRuns(stage.home)).toEqual([]);
  });

  test('B25: one key makes one child', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const { session } = await stage.play(null, [{ text: '1' }], NO_FILES);
    const { end } = await stage.play(session, [{ text: '2' }]);
    const at = String(end.offset);
    const eight = (...args: string[]) =>
      Promise.all(Array.from({ length: 8 }, () => stage.ask(['fork', session, ...args])));
    const keyed = await eight('--at', at, '--idempotency-key', 'k1');
    expect(new Set(keyed.map((answer) => answer.session)).size).toBe(1);
    const free = await eight();
    expect(new Set(free.map((answer) => answer.session)).size).toBe(8);
    expect(listRuns(stage.home)).toHaveLength(10);
    expect(await stage.ask(['verify', '--all'])).toMatchObject({ ok: true });
    const otherTurn = String(stage.eventsOfType(session, 'session.end')[0]?.seq);
    const again = ['fork', session, '--idempotency-key', 'k1', '--at'];
    expect(await stage.ask([...again, otherTurn], { exit: 3 })).toMatchObject({ code: 'key_reused' });
    expect(await stage.ask([...again, at])).toMatchObject({ session: keyed[0]?.session });
    await stage.ask(['remove', String(keyed[0]?.session), '--yes']);
    expect(await stage.ask([...again, at], { exit: 3 })).toMatchObject({ code: 'child_removed' });
    expect(listRuns(stage.home)).toHaveLength(9);
  });
});
