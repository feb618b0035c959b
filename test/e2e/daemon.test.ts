/** `ramet serve` as people run it: one of a state folder, ended and killed and started again. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAnswer } from './support/command.ts';
import { daemonFolderOf, type ServedDaemon, startDaemon, until } from './support/daemon.ts';
import { callShell, openStage, type Reply, type Stage, skipWithoutSandbox } from './support/stage.ts';

/** Goes on when the test writes `go` into the workspace. */
// What a daemon that was killed leaves behind ends with the folder it works in.
const UNTIL_GO = 'until test -e go || ! test -d "$PWD"; do sleep 0.05; done';

async function begin(
  stage: Stage,
  daemon: ServedDaemon,
  replies: readonly Reply[],
  more: object = {},
): Promise<string> {
  const body = { cwd: stage.repository, prompt: 'do it', model: stage.writeScript(replies), ...more };
  const { status, body: answer } = await daemon.ask('/v1/sessions', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return String(answer.session);
}

function hasIntent(stage: Stage, session: string): boolean {
  return stage.eventsOfType(session, 'tool.intent').length > 0;
}

async function untilEnded(stage: Stage, session: string): Promise<void> {
  await until(() => stage.eventsOfType(session, 'session.end').length > 0);
}

describe('ramet serve', () => {
  test('prints one line when it listens, lets in who has the token, and ends well', async (ctx) => {
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const { url, address, socket, pid } = daemon.listening;
    const [, token] = /#token=([\w-]{43})$/.exec(url) ?? [];
    expect(url.startsWith(`${address}/`)).toBe(true);
    const folder = daemonFolderOf(stage);
    expect(JSON.parse(readFileSync(join(folder, 'endpoint.json'), 'utf8'))).toMatchObject({
      url: address,
      socket,
      pid,
    });
    expect(readFileSync(join(folder, 'token'), 'utf8')).toBe(`${token}\n`);
    for (const name of ['token', 'endpoint.json', 'socket', 'lock']) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    }
    const listed = await fetch(`${address}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect(await listed.json()).toEqual({ sessions: [] });
    for (const _ of [1, 2]) expect((await fetch(`${address}/v1/sessions`)).status).toBe(401);
    expect(await daemon.stop()).toBe(0);
    const { stdout, stderr } = await daemon.running.ended;
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(token);
    expect(stderr.match(/refused 401/g)).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(['lock', 'work']);
  });

  test('lives on when something in it throws where nobody catches, and tells where without its words', async (ctx) => {
    const stage = openStage(ctx);
    const odd = join(stage.repository, 'odd.mjs');
    writeFileSync(
      odd,
      `process.on('SIGUSR2', () => {
        setImmediate(() => { throw new Error('a secret word') });
        Promise.reject(new TypeError('a secret word'));
      });`,
    );
    const daemon = await startDaemon(stage, ctx, { env: { NODE_OPTIONS: `--import=${odd}` } });
    const told = new Promise<string>((resolve) => {
      let text = '';
      daemon.running.child.stderr?.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (text.split('fault ').length > 2) resolve(text);
      });
    });
    process.kill(daemon.listening.pid, 'SIGUSR2');
    expect(await told).toMatch(/ fault (Type)?Error at .*\n.* fault (Type)?Error at /);
    expect(await told).not.toContain('secret');
    expect((await daemon.ask('/v1/sessions')).status).toBe(200);
    expect(await daemon.stop()).toBe(0);
  });

  test('takes the token it is given, and tells nobody', async (ctx) => {
    const stage = openStage(ctx);
    const token = 'a-token-that-nobody-guesses';
    const daemon = await startDaemon(stage, ctx, { env: { RAMET_TOKEN: token } });
    const { url, address } = daemon.listening;
    expect(url).toBe(`${address}/`);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${address}/v1/sessions`, { headers })).status).toBe(200);
    expect(existsSync(join(daemonFolderOf(stage), 'token'))).toBe(false);
    const weak = await stage.ask(['serve', '--port', '0'], { exit: 5 });
    expect(weak.code).toBe('owned_elsewhere');
    expect(await daemon.stop('SIGINT')).toBe(0);
    expect(await stage.ask(['serve', '--port', '0'], { exit: 1, env: { RAMET_TOKEN: 'short' } })).toMatchObject({
      code: 'bad_usage',
      message: expect.not.stringContaining('short'),
    });
  });

  test('is refused where another serves the state folder, naming its address, and where the port is taken', async (ctx) => {
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const { address } = daemon.listening;
    const refused = await stage.ramet(['serve', '--port', '0']);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(address) });
    const port = new URL(address).port;
    const other = { env: { RAMET_HOME: join(stage.area.folder, 'other-state') } };
    expect(await stage.ask(['serve', '--port', port], { ...other, exit: 5 })).toMatchObject({
      code: 'owned_elsewhere',
      message: expect.stringContaining('--port 0 for any free one'),
    });
    expect(await stage.ask(['serve', '--host', '0.0.0.0'], { ...other, exit: 1 })).toMatchObject({ code: 'bad_usage' });
  });

  test('listens again where one that was killed left its socket and its endpoint', async (ctx) => {
    const stage = openStage(ctx);
    const first = await startDaemon(stage, ctx);
    await first.stop('SIGKILL');
    expect(existsSync(first.listening.socket)).toBe(true);
    expect((await stage.ramet(['sessions', '--json'])).code).toBe(0);
    const second = await startDaemon(stage, ctx);
    expect((await second.ask('/v1/sessions')).body).toEqual({ sessions: [] });
  });

  test('serves a state folder whose path is longer than a socket address may be, to the command too', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx, { name: `long-${'x'.repeat(90)}` });
    const daemon = await startDaemon(stage, ctx);
    const { listening } = daemon;
    expect(listening.socket).toBeNull();
    const [, token] = /#token=([\w-]+)$/.exec(listening.url) ?? [];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const model = stage.writeScript([callShell(UNTIL_GO), { text: 'done' }]);
    const body = JSON.stringify({ cwd: stage.repository, prompt: 'do it', model });
    const made = await fetch(`${listening.address}/v1/sessions`, { method: 'POST', headers, body });
    const { session } = (await made.json()) as { readonly session: string };
    expect(await stage.ask(['verify', session])).toMatchObject({ id: session, ok: true });
    expect(await daemon.stop()).toBe(0);
  });
});

describe('what a daemon is at work in', () => {
  test('is suspended by SIGTERM, and taken up by the next one', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const first = await startDaemon(stage, ctx);
    const session = await begin(stage, first, [callShell(`echo x >> marks; ${UNTIL_GO}`), { text: 'done' }]);
    await until(() => hasIntent(stage, session));
    expect(await first.stop()).toBe(0);
    expect(stage.eventsOfType(session, 'session.end')).toEqual([]);
    await startDaemon(stage, ctx);
    await untilEnded(stage, session);
    expect(stage.eventsOfType(session, 'session.end')).toMatchObject([{ reason: 'completed' }]);
    expect(stage.eventsOfType(session, 'tool.intent')).toHaveLength(1);
  });

  test('is taken up after kill -9, and no write is made twice', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const first = await startDaemon(stage, ctx);
    const replies = [callShell(`echo x >> marks; ${UNTIL_GO}`), callShell('echo y >> marks'), { text: 'done' }];
    const session = await begin(stage, first, replies);
    const marks = join(stage.workspaceOf(session), 'marks');
    await until(() => existsSync(marks));
    await first.stop('SIGKILL');
    expect(readdirSync(join(daemonFolderOf(stage), 'work'))).toEqual([`${session}.json`]);
    const second = await startDaemon(stage, ctx);
    await untilEnded(stage, session);
    expect(readFileSync(marks, 'utf8')).toBe('x\ny\n');
    expect(stage.eventsOfType(session, 'message')).toHaveLength(1);
    await until(() => readdirSync(join(daemonFolderOf(stage), 'work')).length === 0);
    expect(await second.stop()).toBe(0);
  });

  test('waits for a word after kill -9 where it may have reached the outside, and shows in the inbox', async (ctx) => {
    const stage = openStage(ctx);
    const sink = join(stage.area.folder, 'sink');
    const first = await startDaemon(stage, ctx);
    const replies = [callShell(`echo x >> ${sink}; ${UNTIL_GO}`), { text: 'done' }];
    const more = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] };
    const session = await begin(stage, first, replies, more);
    await until(() => existsSync(sink));
    await first.stop('SIGKILL');
    writeFileSync(join(stage.workspaceOf(session), 'go'), '');
    const second = await startDaemon(stage, ctx);
    await until(async () => ((await second.ask('/v1/inbox')).body.items as unknown[]).length > 0);
    const { body } = await second.ask('/v1/inbox');
    expect(body.items).toMatchObject([{ waits: 'outcome', id: session, tool: 'shell' }]);
    expect(readFileSync(sink, 'utf8')).toBe('x\n');
  });

  test('is a run too: after kill -9 what finished is not done again, and a write without an answer waits', async (ctx) => {
    const stage = openStage(ctx);
    const sinks = ['first', 'second'].map((name) => join(stage.area.folder, name));
    const first = await startDaemon(stage, ctx);
    const program = (command: string) => ({ kind: 'tool', exec: { command } });
    const graph = {
      schema: 1,
      nodes: { before: program(`echo x >> ${sinks[0]}; echo 1`), pay: program(`echo x >> ${sinks[1]}; ${UNTIL_GO}`) },
      edges: [{ from: 'before', to: 'pay' }],
    };
    const rules = [{ tool: 'exec', do: 'allow' }];
    const { body } = await first.ask('/v1/runs', { graph, cwd: stage.repository, sandbox: 'none', rules });
    await until(() => existsSync(sinks[1] ?? ''));
    await first.stop('SIGKILL');
    const second = await startDaemon(stage, ctx);
    await until(async () => ((await second.ask('/v1/inbox')).body.items as unknown[]).length > 0);
    const waiting = (await second.ask('/v1/inbox')).body.items;
    expect(waiting).toMatchObject([{ waits: 'outcome', id: body.run, node: 'pay' }]);
    expect(sinks.map((path) => readFileSync(path, 'utf8'))).toEqual(['x\n', 'x\n']);
    const entered = stage.eventsOfType(String(body.run), 'node.enter').filter(({ node }) => node === 'before');
    expect(entered).toHaveLength(1);
  });

  test('ends at once by a second signal, as by a crash', async (ctx) => {
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    // A call that does not end by a signal, outside of a sandbox.
    const replies = [callShell(`trap '' TERM INT HUP; touch begun; ${UNTIL_GO}`), { text: 'done' }];
    const session = await begin(stage, daemon, replies, { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] });
    await until(() => existsSync(join(stage.workspaceOf(session), 'begun')));
    daemon.running.child.kill('SIGINT');
    await until(() => !existsSync(join(daemonFolderOf(stage), 'endpoint.json')));
    daemon.running.child.kill('SIGINT');
    const { signal } = await daemon.running.ended.finally(() =>
      writeFileSync(join(stage.workspaceOf(session), 'go'), ''),
    );
    expect(signal).toBe('SIGINT');
  });
});

describe('the command beside a daemon', () => {
  test('needs none to look, and goes through it where it is at work', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const { session } = await stage.turn(null, 'echo 1 > one');
    const body = { prompt: 'again', model: stage.writeScript([callShell(UNTIL_GO), { text: 'all done' }]) };
    expect((await daemon.ask(`/v1/sessions/${session}/messages`, body)).status).toBe(202);
    await until(() => stage.eventsOfType(session, 'tool.intent').length > 1);
    const [end] = stage.eventsOfType(session, 'session.end');

    const shown = await stage.ask(['show', session]);
    expect(shown).toMatchObject({ state: 'running' });
    const forked = await stage.ask(['fork', session]);
    expect(forked).toMatchObject({ forkedFrom: { id: session, offset: end?.seq }, workspace: { restorable: true } });
    expect((await stage.ramet(['fork', session, '--dry-run'])).stdout).toMatch(/^would fork .* events, /);
    const verified = await stage.ask(['verify', session]);
    expect(verified).toMatchObject({ id: session, ok: true, problems: [] });

    const refused = await stage.ask(['run', '--session', session, 'more'], { exit: 5 });
    const { body: problem } = await daemon.ask(`/v1/sessions/${session}/messages`, { prompt: 'more' });
    expect(refused).toMatchObject({ code: problem.code, message: problem.detail });

    const joined = stage.start(['run', '--session', session, '--events']);
    await new Promise((resolve) => joined.child.stdout?.once('data', resolve));
    writeFileSync(join(stage.workspaceOf(session), 'go'), '');
    const { code, stdout, stderr } = await joined.ended;
    expect(code, stdout + stderr).toBe(0);
    const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(answer).toMatchObject({ session, turn: 2, text: 'all done', end: { reason: 'completed' }, denied: [] });
    const last = await stage.play(session, [{ text: 'done' }]);
    expect(Object.keys(answer).sort()).toEqual(Object.keys(last).sort());
  });

  test('watches a turn whose approvals others answer, and prints its events as they come', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const replies = [callShell('echo asked >> marks'), { text: 'done' }];
    const session = await begin(stage, daemon, replies, { rules: [{ tool: 'shell', do: 'ask' }] });
    await until(async () => (await daemon.asksOf(session)).length > 0);
    const watching = stage.start(['run', '--session', session, '--events']);
    await new Promise((resolve) => watching.child.stdout?.once('data', resolve));
    const [asked] = await daemon.asksOf(session);
    const path = `/v1/runs/${session}/approvals/${asked?.callId}`;
    expect((await daemon.ask(path, { answer: 'allow' })).status).toBe(200);
    const { code, stdout } = await watching.ended;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    const events = stage.eventsOf(session);
    const begun = events.findIndex(({ type }) => type === 'message');
    expect(lines.slice(0, -1)).toEqual(events.slice(begun));
    expect(lines.at(-1)).toMatchObject({ session, end: { reason: 'completed' } });
  });

  test('answers what a turn of the daemon asks by --yes, and interrupts it by Ctrl-C', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const replies = [callShell('touch begun'), callShell(UNTIL_GO), { text: 'done' }];
    const session = await begin(stage, daemon, replies, { rules: [{ tool: 'shell', do: 'ask' }] });
    await until(async () => (await daemon.asksOf(session)).length > 0);
    const watching = stage.start(['run', '--session', session, '--yes', '--json']);
    await until(() => stage.eventsOfType(session, 'tool.intent').length === 2);
    watching.child.kill('SIGINT');
    const { code, stdout } = await watching.ended;
    expect(code, stdout).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ session, end: { reason: 'interrupted' } });
  });

  test('says where to answer what it cannot ask about, and stops watching by SIGTERM while the turn goes on', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const session = await begin(stage, daemon, [callShell('echo 1'), { text: 'done' }], {
      rules: [{ tool: 'shell', do: 'ask' }],
    });
    await until(async () => (await daemon.asksOf(session)).length > 0);
    const watching = stage.start(['run', '--session', session]);
    let shown = '';
    watching.child.stderr?.on('data', (chunk: Buffer) => {
      shown += chunk.toString('utf8');
    });
    await until(() => shown.includes('shell waits for an answer'));
    expect(shown).toContain(`the page of the daemon (${daemon.listening.address})`);
    watching.child.kill('SIGTERM');
    const { code, stderr } = await watching.ended;
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('the daemon goes on with it');
    const [asked] = await daemon.asksOf(session);
    const allowed = await daemon.ask(`/v1/runs/${session}/approvals/${asked?.callId}`, { answer: 'allow' });
    expect(allowed.status, JSON.stringify(allowed.body)).toBeLessThan(300);
    await untilEnded(stage, session);
    expect(stage.eventsOfType(session, 'session.end')).toMatchObject([{ reason: 'completed' }]);
  });

  test('says so when the daemon dies under a turn that it watches', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const session = await begin(stage, daemon, [callShell(UNTIL_GO), { text: 'done' }]);
    await until(() => hasIntent(stage, session));
    const watching = stage.start(['run', '--session', session, '--events']);
    await new Promise((resolve) => watching.child.stdout?.once('data', resolve));
    await daemon.stop('SIGKILL');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(130);
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as unknown;
    expect(last).toMatchObject({ code: 'interrupted', turn: 1, message: expect.stringContaining('go on with it') });
  });

  test('answers a gate of a run that is at work there, and follows the run to its end', async (ctx) => {
    const stage = openStage(ctx);
    const daemon = await startDaemon(stage, ctx);
    const go = join(stage.area.folder, 'go');
    const work = { kind: 'tool', exec: { command: `until test -e ${go}; do sleep 0.05; done; echo 1` } };
    const graph = { schema: 1, nodes: { asked: { kind: 'gate', question: 'go on?' }, work } };
    const body = { graph, cwd: stage.repository, sandbox: 'none', rules: [{ tool: 'exec', do: 'allow' }] };
    const { body: started } = await daemon.ask('/v1/runs', body);
    const run = String(started.run);
    await until(
      () => stage.eventsOfType(run, 'tool.intent').length > 0 && stage.eventsOfType(run, 'gate.open').length > 0,
    );
    const answering = stage.start(['answer', run, 'true', '--json']);
    await until(() => stage.eventsOfType(run, 'gate.answer').length > 0);
    const resumed = stage.start(['resume', run, '--json']);
    writeFileSync(go, '');
    const ended = await answering.ended;
    expect(parseAnswer(ended)).toMatchObject({ run, status: 'completed', node: 'asked' });
    expect(ended.code).toBe(0);
    expect([0, 3, 5]).toContain((await resumed.ended).code);
  });
});
