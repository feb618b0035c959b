import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import { type CheckResult, compareSessions, runCheck, sweepChecks } from '@ramet/runtime/compare';
import { probeSandbox } from '@ramet/runtime/sandbox';
import { askSink, digestTree, makeSessionHarness, type SessionHarness, startSink } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

let h: SessionHarness;

beforeEach(async (context) => {
  if ((await probeSandbox()).kind === 'absent') context.skip('tool missing: bwrap');
  h = makeSessionHarness({ files: { 'base.txt': 'base\n', 'check.sh': 'test "$(cat answer)" = 42\n' } });
});
afterEach(() => h?.remove());

function check(id: RunId, command: string, more: { at?: number; timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { at, ...rest } = more;
  const turn = { id, ...(at === undefined ? {} : { at }) };
  return runCheck({ store: h.store, turn, command, carry: ['node_modules'], clock: () => performance.now(), ...rest });
}

function done(result: CheckResult | Refusal): CheckResult {
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}

function textOf({ bytes }: CheckResult['stdout']): string {
  return Buffer.from(bytes).toString();
}

/** What lies in the state folder of checks that are over. */
function leftovers(): readonly string[] {
  return readdirSync(join(h.home, 'checks'));
}

describe('a check', () => {
  it('tells siblings apart by what the command does in the files of each', async () => {
    const { session: parent } = await h.turn(null, 'echo 1 > answer');
    const [right, wrong] = [await h.fork(parent, 1), await h.fork(parent, 1)];
    await h.turn(right, 'echo 42 > answer');
    await h.turn(wrong, 'echo 41 > answer; echo extra > extra');
    expect(done(await check(right, 'sh check.sh'))).toMatchObject({ exitCode: 0, timedOut: false, interrupted: false });
    expect(done(await check(wrong, 'sh check.sh')).exitCode).toBe(1);
    const [first] = h.eventsOfType(parent, 'session.end');
    expect(done(await check(right, 'sh check.sh', { at: first?.seq ?? 0 })).exitCode).toBe(1);
    const compared = await compareSessions(h.store, right, wrong);
    expect(compared).toMatchObject({
      relation: 'siblings',
      files: { kind: 'compared', counts: { added: 1, modified: 1, deleted: 0 } },
    });
    expect(leftovers()).toEqual([]);
  });

  it('touches neither the workspace of the session nor the person’s checkout', async () => {
    const { session } = await h.turn(null, 'echo 1 > answer');
    const before = [digestTree(h.workspaceOf(session)), digestTree(h.repository), h.logOf(session)];
    const command = 'rm -rf answer base.txt; echo 1 > new; mkdir -p deep; chmod 500 deep; pwd; ls';
    expect(textOf(done(await check(session, command)).stdout)).toContain('/work\n');
    expect([digestTree(h.workspaceOf(session)), digestTree(h.repository), h.logOf(session)]).toEqual(before);
    expect(leftovers()).toEqual([]);
  });

  it('reaches nothing on the network, not even this machine', async () => {
    const sink = await startSink();
    onTestFinished(() => sink.close());
    const ask = askSink(sink, 'asked');
    const { session } = await h.turn(null, `cat > ask.sh <<'end'\n${ask}\nend`);
    expect(done(await check(session, 'bash ask.sh')).exitCode).not.toBe(0);
    expect(sink.seen).toEqual([]);
    await promisify(execFile)('bash', ['-c', ask]);
    expect(sink.seen).toEqual(['/asked']);
  });

  it('is ended by its time limit and by its caller, and says which', async () => {
    const { session } = await h.turn(null, 'true');
    expect(done(await check(session, 'sleep 1000', { timeoutMs: 300 }))).toMatchObject({
      exitCode: null,
      timedOut: true,
    });
    const abort = new AbortController();
    abort.abort();
    expect(done(await check(session, 'sleep 1000', { signal: abort.signal }))).toMatchObject({
      exitCode: null,
      interrupted: true,
    });
    expect(leftovers()).toEqual([]);
  });

  it('keeps the beginning and the end of a long output', async () => {
    const { session } = await h.turn(null, 'true');
    const { stdout, stderr } = done(await check(session, 'echo first; seq 1 100000; echo last; echo oops >&2'));
    expect(textOf(stdout)).toMatch(/^first\n1\n[\s\S]*\nlast\n$/);
    expect(stdout.bytes.length).toBeLessThanOrEqual(64 * 1024);
    expect(stdout.dropped).toBeGreaterThan(100_000);
    expect(textOf(stderr)).toBe('oops\n');
  });

  it('removes what a check left that died', async () => {
    const { session } = await h.turn(null, 'true');
    const dead = join(h.home, 'checks', 'dead');
    mkdirSync(join(dead, 'workspace'), { recursive: true });
    writeFileSync(`${dead}.lock`, '');
    chmodSync(join(dead, 'workspace'), 0o500);
    done(await check(session, 'true'));
    expect(existsSync(dead)).toBe(false);
    mkdirSync(dead);
    writeFileSync(`${dead}.lock`, '');
    sweepChecks(h.home);
    expect(leftovers()).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it('of a session without checkpoints is refused, and runs nothing', async () => {
    const { session } = await h.turn(null, 'true', { created: { workspace: 'none' } });
    expect(await check(session, 'true')).toMatchObject({ kind: 'refusal', code: 'no_checkpoint' });
    expect(existsSync(join(h.home, 'checks'))).toBe(false);
  });
});
