import type { RunId } from '@ramet/core';
import { auditStore, callShell } from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHarness, startServer } from '../support/server.ts';

let server: ServerHarness;
let session: RunId;

beforeAll(async () => {
  server = await startServer();
  const first = await server.h.turn(null, 'echo one > one.txt', { prompt: 'make one' });
  session = first.session;
  await server.h.turn(session, 'echo two > two.txt', { prompt: 'make two' });
});

afterAll(async () => {
  expect(auditStore(server.h.home)).toEqual([]);
  await server.close();
});

describe('a session that is shown', () => {
  it('has its turns, its forks and who works on it, and no transcript', async () => {
    const child = await server.h.fork(session, 1, { title: 'another way' });
    const { status, json } = await server.ask('GET', `/v1/sessions/${session}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: session, state: 'idle', title: 'make one', live: { owner: 'none', asks: [] } });
    expect(json.turns.map((turn: object) => [Object.hasOwn(turn, 'transcript'), Object.hasOwn(turn, 'end')])).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(json.forks).toEqual([
      { id: child, kind: 'session', offset: json.turns[0].end.offset, title: 'another way' },
    ]);
    const shown = await server.ask('GET', `/v1/sessions/${child}`);
    expect(shown.json.forkedFrom).toMatchObject({ id: session });
  });

  it('is found by a short form of its id', async () => {
    expect((await server.ask('GET', `/v1/sessions/${session.slice(-8)}`)).json.id).toBe(session);
  });

  it.each([
    ['/v1/sessions/00000000-0000-7000-8000-000000000000', 404, 'unknown_run'],
    ['/v1/sessions/..%2f..%2fetc%2fpasswd', 400, 'malformed_id'],
    ['/v1/sessions/%00', 400, 'malformed_id'],
  ])('is not found at %s', async (path, status, code) => {
    const answer = await server.ask('GET', path);
    expect([answer.status, answer.json.code, answer.json.type]).toEqual([status, code, `/docs#${code}`]);
  });
});

describe('a fork', () => {
  it('of a session is made at a turn, and answers as the command line does', async () => {
    const { turns } = (await server.ask('GET', `/v1/sessions/${session}`)).json;
    const at = turns[0].end.offset;
    const dry = await server.ask('POST', `/v1/sessions/${session}/fork`, { body: { at, dryRun: true } });
    expect([dry.status, dry.json.session, dry.json.dryRun]).toEqual([200, null, true]);
    const made = await server.ask('POST', `/v1/sessions/${session}/fork`, { body: { at, title: 'fork' } });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      forkedFrom: { id: session, offset: at },
      workspace: { kind: 'git', restorable: true },
    });
    expect(dry.json.forkedFrom).toEqual(made.json.forkedFrom);
    expect(server.h.logOf(session).subarray(0, 400)).toEqual(server.h.logOf(made.json.session).subarray(0, 400));
  });

  it('is the latest turn without a body, and one for one key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [one, two] = await Promise.all([
      server.ask('POST', `/v1/sessions/${session}/fork`, { headers }),
      server.ask('POST', `/v1/sessions/${session}/fork`, { headers }),
    ]);
    expect([one.status, two.status, one.json.session]).toEqual([201, 201, two.json.session]);
    const other = await server.ask('POST', `/v1/sessions/${session}/fork`, { headers, body: { title: 'no' } });
    expect([other.status, other.json.code, other.json.child]).toEqual([422, 'key_reused', one.json.session]);
    await server.ask('DELETE', `/v1/runs/${one.json.session}`);
    const gone = await server.ask('POST', `/v1/sessions/${session}/fork`, { headers });
    expect([gone.status, gone.json.code]).toEqual([410, 'child_removed']);
  });

  it('is refused where no turn ends, with the places where one does', async () => {
    const { status, json } = await server.ask('POST', `/v1/sessions/${session}/fork`, { body: { at: 1 } });
    expect([status, json.code]).toEqual([409, 'not_a_boundary']);
    expect(json.boundaries.length).toBeGreaterThan(0);
  });

  it('is not made by a misspelled request', async () => {
    const before = server.h.store.listRuns().length;
    const { status, json } = await server.ask('POST', `/v1/sessions/${session}/fork`, { body: { dryrun: true } });
    expect([status, json.code, json.problems]).toEqual([
      400,
      'bad_usage',
      [{ at: 'body.dryrun', message: 'is not known here' }],
    ]);
    expect(server.h.store.listRuns()).toHaveLength(before);
  });

  it('is made while a later turn runs in this process', async () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const running = server.h.run(session, [callShell('echo three > three.txt'), { text: 'done' }], {
      settings: {
        rules: [{ tool: 'shell', do: 'ask' }],
        ask: async () => {
          asked.resolve();
          await gate.promise;
          return { answer: 'allow', scope: 'once', by: 'person' };
        },
      },
    });
    await asked.promise;
    const { status, json } = await server.ask('POST', `/v1/sessions/${session}/fork`, { body: {} });
    expect([status, json.forkedFrom?.id]).toEqual([201, session]);
    gate.resolve();
    await running;
  });
});

describe('what only a daemon does', () => {
  it('is given to it as it was sent, with its key', async () => {
    const body = { cwd: server.h.repository, prompt: 'hello', limits: { maxRequests: 3 } };
    const made = await server.ask('POST', '/v1/sessions', { body, headers: { 'idempotency-key': 'k' } });
    expect([made.status, made.json]).toEqual([201, { session: 'made', turn: 1 }]);
    expect(server.daemon.asked.at(-1)).toEqual(['createSession', { body, key: 'k' }]);
    await server.ask('POST', `/v1/sessions/${session}/messages`, { body: { prompt: 'on' } });
    expect(server.daemon.asked.at(-1)).toEqual(['sendMessage', session, { body: { prompt: 'on' } }]);
    await server.ask('POST', `/v1/sessions/${session}/continue`, { body: {} });
    expect(server.daemon.asked.at(-1)).toEqual(['continueTurn', session, {}]);
  });

  it('shows what it asks with the session and in the inbox, and hands it the answer', async () => {
    const ask = {
      callId: 'c/1',
      tool: 'shell',
      input: { command: 'ls' },
      reason: 'a rule',
      outstanding: [],
      matches: false,
    };
    server.daemon.setLive(session, { owner: 'daemon', asks: [ask] });
    expect((await server.ask('GET', `/v1/sessions/${session}`)).json.live.asks).toEqual([ask]);
    const { items } = (await server.ask('GET', '/v1/inbox')).json;
    expect(items).toMatchObject([{ waits: 'approval', id: session, kind: 'session', ask }]);
    const path = `/v1/runs/${session}/approvals/${encodeURIComponent(ask.callId)}`;
    const wrong = await server.ask('POST', path, { body: { answer: 'perhaps' } });
    expect([wrong.status, wrong.json.problems[0].at]).toEqual([400, 'body.answer']);
    const answered = await server.ask('POST', path, { body: { answer: 'allow', scope: 'session' } });
    expect([answered.status, answered.json]).toEqual([200, { id: session, callId: ask.callId }]);
    expect(server.daemon.asked.at(-1)).toEqual([
      'answerAsk',
      session,
      ask.callId,
      { answer: 'allow', scope: 'session' },
    ]);
    const stopped = await server.ask('POST', `/v1/runs/${session}/interrupt`);
    expect([stopped.status, stopped.json]).toEqual([202, { id: session }]);
    server.daemon.setLive(session, { owner: 'none', asks: [] });
  });

  it('takes attachments of 32 MiB, and no more than its limit', async () => {
    const attach = (bytes: number) => {
      const data = Buffer.alloc(bytes, 1).toString('base64');
      const attachments = [{ mediaType: 'image/png', filename: 'a.png', data }];
      const body = { prompt: 'see', attachments };
      return server.ask('POST', `/v1/sessions/${session}/messages`, { body });
    };
    expect((await attach(32 * 1024 * 1024)).status).toBe(202);
    const large = await attach(40 * 1024 * 1024);
    expect([large.status, large.json.code]).toEqual([413, 'too_large']);
  });

  it('is refused by it', async () => {
    const child = await server.h.fork(session, 1);
    const { status, json } = await server.ask('POST', `/v1/runs/${child}/interrupt`);
    expect([status, json.code]).toEqual([400, 'nothing_to_do']);
  });

  it('names every place of a request that does not fit', async () => {
    const body = { cwd: 'relative', prompt: '', limits: { maxRequest: 1 }, nonsense: 1 };
    const { status, json } = await server.ask('POST', '/v1/sessions', { body });
    expect([status, json.code]).toEqual([400, 'bad_usage']);
    expect(json.problems.map(({ at }: { at: string }) => at).sort()).toEqual([
      'body.cwd',
      'body.limits.maxRequest',
      'body.nonsense',
      'body.prompt',
    ]);
  });
});

describe('keeping', () => {
  it('names, verifies, plans a removal and refuses to lose work', async () => {
    const titled = await server.ask('PATCH', `/v1/runs/${session}`, { body: { title: '  new  ' } });
    expect([titled.status, titled.json.title]).toEqual([200, 'new']);
    expect((await server.ask('POST', `/v1/runs/${session}/verify`)).json).toMatchObject({ ok: true, problems: [] });
    const { session: lone } = await server.h.turn(null, 'echo only > only.txt');
    const plan = await server.ask('GET', `/v1/runs/${lone}/removal`);
    expect(plan.json).toMatchObject({ dryRun: true, runs: [{ id: lone }], removed: [] });
    expect(plan.json.runs[0].unsaved.length).toBeGreaterThan(0);
    const refused = await server.ask('DELETE', `/v1/runs/${lone}`);
    expect([refused.status, refused.json.code]).toEqual([409, 'would_lose_work']);
    const removed = await server.ask('DELETE', `/v1/runs/${lone}?loseWork=true`);
    expect([removed.status, removed.json.removed]).toEqual([200, [lone]]);
    expect((await server.ask('GET', `/v1/sessions/${lone}`)).status).toBe(404);
  });
});

describe('files', () => {
  it('are those of the turn that is named', async () => {
    const { turns } = (await server.ask('GET', `/v1/sessions/${session}`)).json;
    const [first, second] = turns.map(({ end }: { end: { offset: number } }) => end.offset);
    const names = async (at: number) =>
      (await server.ask('GET', `/v1/runs/${session}/folder?at=${at}`)).json.entries.map(
        ({ name }: { name: string }) => name,
      );
    expect([await names(first), await names(second)]).toEqual([
      ['base.txt', 'one.txt'],
      ['base.txt', 'one.txt', 'two.txt'],
    ]);
    const file = await server.ask('GET', `/v1/runs/${session}/file?path=one.txt&at=${first}`);
    expect(file.json).toMatchObject({ text: 'one\n', size: 4, kind: 'file', truncated: false });
    const raw = await server.fetch(`/v1/runs/${session}/raw?path=one.txt`);
    expect([raw.headers.get('content-type'), raw.headers.get('content-disposition'), await raw.text()]).toEqual([
      'application/octet-stream',
      'attachment; filename="one.txt"',
      'one\n',
    ]);
    const diff = await server.ask('GET', `/v1/runs/${session}/diff?from=${first}&at=${second}&patch=true`);
    expect(diff.json.files).toMatchObject([{ shown: 'two.txt', status: 'added', truncated: false }]);
    expect(diff.json.files[0].patch).toContain('+two');
    const since = await server.ask('GET', `/v1/runs/${session}/diff?at=${first}`);
    expect(since.json.files.map(({ shown }: { shown: string }) => shown)).toEqual(['one.txt']);
  });

  it.each(['..%2f..%2fetc', '%2fetc%2fpasswd', 'none.txt', '.git%2fconfig', 'one.txt%00', 'one.txt%2fx'])(
    'are not found outside or nowhere: %s',
    async (path) => {
      for (const where of ['file', 'folder', 'raw']) {
        const { status } = await server.ask('GET', `/v1/runs/${session}/${where}?path=${path}`);
        expect([where, status >= 400 && status < 500]).toEqual([where, true]);
      }
    },
  );

  it('are compared with those of a sibling', async () => {
    const child = await server.h.fork(session, 1);
    // Rules of an earlier test still hold for its forks.
    await server.h.turn(child, 'echo other > other.txt', { settings: { forgetRules: true } });
    const { status, json } = await server.ask('GET', `/v1/sessions/${session}/compare/${child}`);
    expect([status, json.relation, json.reason]).toEqual([200, 'parent', undefined]);
    expect(json.diff.files.map(({ shown }: { shown: string }) => shown)).toContain('other.txt');
    const diff = await server.ask('GET', `/v1/runs/${session}/diff?other=${child}`);
    expect(diff.json.files.length).toBe(json.diff.files.length);
  });

  it('are brought into a checkout that is named', async () => {
    const body = { branch: 'work', checkout: server.h.repository };
    const { status, json } = await server.ask('POST', `/v1/runs/${session}/apply`, { body });
    expect([status, json.branch]).toEqual([200, 'work']);
    expect(server.h.area.git(server.h.repository, 'show', 'work:one.txt')).toBe('one');
  });
});

describe('lists', () => {
  it('are read page by page, each row once, also when rows come meanwhile', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { json } = await server.ask('GET', `/v1/sessions?limit=2${query}`);
      seen.push(...json.sessions.map(({ id }: { id: string }) => id));
      cursor = json.nextCursor;
      await server.h.fork(session, 1);
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(session);
  });

  it('are searched by title and id, and narrowed to a project', async () => {
    const found = await server.ask('GET', '/v1/sessions?search=ANOTHER%20way');
    expect(found.json.sessions.map(({ title }: { title: string }) => title)).toEqual(['another way']);
    const [{ project }] = found.json.sessions;
    expect((await server.ask('GET', `/v1/sessions?project=${project}&limit=1`)).json.sessions).toHaveLength(1);
    expect((await server.ask('GET', '/v1/sessions?project=none')).json.sessions).toEqual([]);
  });

  it.each(['cursor=nonsense', 'limit=0', 'limit=1e3', 'limit=1&limit=2', 'limit=1001', 'unknown=1'])(
    'are refused with %s',
    async (query) => {
      const { status, json } = await server.ask('GET', `/v1/sessions?${query}`);
      expect([status, json.code]).toEqual([400, 'bad_usage']);
    },
  );
});

describe('the log', () => {
  it('is answered in pages of the lines that were recorded', async () => {
    const events = server.h.eventsOf(session);
    const { json } = await server.ask('GET', `/v1/runs/${session}/log?from=1&limit=3`);
    expect(json.events).toEqual(events.slice(1, 4));
    expect([json.next, json.total]).toEqual([4, events.length]);
    const last = await server.ask('GET', `/v1/runs/${session}/log?from=${events.length - 1}`);
    expect([last.json.events.length, last.json.next]).toEqual([1, null]);
    expect((await server.ask('GET', `/v1/runs/${session}/log?from=99999`)).json.events).toEqual([]);
  });
});

it('tells usage, capabilities and what waits', async () => {
  const usage = await server.ask('GET', '/v1/usage');
  expect(usage.json.sessions.map(({ id }: { id: string }) => id)).toContain(session);
  const { json } = await server.ask('GET', '/v1/capabilities');
  expect([json.version, json.stateFolder, json.projects.length]).toEqual(['0.0.0-test', server.h.home, 1]);
  expect((await server.ask('GET', '/v1/inbox')).json.items).toEqual([]);
});
