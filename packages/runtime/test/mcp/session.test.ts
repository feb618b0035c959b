import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { callTool, makeSessionHarness, type SessionHarness, type TurnOptions, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordTrust } from '../../src/config/index.ts';
import { resolveCall } from '../../src/runs/index.ts';
import type { ApprovalQuestion, ApprovalReply, PermissionRule, TurnResult } from '../../src/session/index.ts';
import { sha256 } from '../../src/store/index.ts';
import { PATIENCE, readLines, SERVERS, variable } from './helpers.ts';

let h: SessionHarness;
let outbox: string;
beforeEach(() => {
  h = makeSessionHarness();
  outbox = join(h.area.folder, 'outbox');
});
afterEach(() => h.remove());

/** The mail server in a file's words. */
function mail(more: object = {}): object {
  return { mail: { command: process.execPath, args: [join(SERVERS, 'mail.ts'), outbox], ...more } };
}

function configure(mcpServers: object, folder = join(h.area.folder, 'config/ramet')): void {
  writeFiles(folder, { 'ramet.json': JSON.stringify({ mcpServers }) });
}

function commandOf(script: string): object {
  return { command: '/bin/sh', args: ['-c', script] };
}

const ALLOW: readonly PermissionRule[] = [{ tool: 'mcp__mail__*', do: 'allow' }];

/** A turn with one call of a tool of the mail server. */
function call(session: RunId | null, tool: string, input: unknown, options: TurnOptions = {}) {
  return h.run(session, [callTool(`mcp__mail__${tool}`, input), { text: 'done' }], options);
}

async function ended(turn: Promise<TurnResult | { readonly kind: 'refusal' }>) {
  const result = await turn;
  if (result.kind !== 'ended') throw new Error(JSON.stringify(result));
  return result;
}

async function parked(turn: Promise<TurnResult | { readonly kind: 'refusal' }>) {
  const result = await turn;
  if (result.kind !== 'parked') throw new Error(JSON.stringify(result));
  return result;
}

function answering(answer: ApprovalReply['answer']) {
  const questions: ApprovalQuestion[] = [];
  const ask = async (question: ApprovalQuestion): Promise<ApprovalReply> => {
    questions.push(question);
    return { answer, scope: 'once', by: 'person' };
  };
  return { questions, options: { settings: { ask } } };
}

describe('a tool of an MCP server in a turn', () => {
  it('is asked about, made once it is allowed, and answered to the agent', async () => {
    configure(mail());
    const { questions, options } = answering('allow');
    const { session, end } = await ended(call(null, 'send', { to: 'ada' }, options));
    expect(end.reason).toBe('completed');
    expect(questions).toMatchObject([
      {
        tool: 'mcp__mail__send',
        reason: expect.stringContaining('a tool of an MCP server: what it does is outside the sandbox'),
      },
    ]);
    expect(readLines(outbox)).toEqual([{ to: 'ada' }]);
    const [config] = h.eventsOfType(session, 'session.config');
    expect(config?.tools).toContainEqual({ name: 'mcp__mail__send', effect: 'write', contained: false });
    expect(h.eventsOfType(session, 'tool.intent')).toMatchObject([{ effect: 'write', contained: false }]);
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([
      { outcome: 'ok', output: { type: 'json', value: { receipt: 'r-ada' } } },
    ]);
    expect(h.problems()).toEqual([]);
  });

  it('is denied where nobody is there, and its server’s hints change nothing about that', async () => {
    configure(mail({ trusted: true }));
    for (const tool of ['send', 'look']) {
      const { denied } = await ended(call(null, tool, { to: 'ada' }));
      expect(denied).toMatchObject([{ tool: `mcp__mail__${tool}`, subject: '{"to":"ada"}' }]);
    }
    configure(mail());
    const { options } = answering('allow');
    const { session } = await ended(call(null, 'look', {}, options));
    expect(h.eventsOfType(session, 'tool.intent')).toMatchObject([{ effect: 'write' }]);
    expect(readLines(outbox)).toEqual([]);
  });

  it.each([
    [[{ tool: 'mcp__mail__send', do: 'allow' }], 1],
    [[{ tool: 'mcp__mail__*', do: 'allow' }], 1],
    [[{ tool: 'mcp__mail__*', match: '*"to":"ada"*', do: 'allow' }], 1],
    [[{ tool: 'mcp__mail__*', match: '*"to":"bob"*', do: 'allow' }], 0],
    [[{ tool: 'mcp__mai__*', do: 'allow' }], 0],
    [[...ALLOW, { tool: 'mcp__mail__send', do: 'deny' }], 0],
  ] as [PermissionRule[], number][])('follows the rules %j', async (rules, sent) => {
    configure(mail());
    await ended(call(null, 'send', { to: 'ada' }, { settings: { rules } }));
    expect(readLines(outbox)).toHaveLength(sent);
  });

  it('is not there where its server cannot be started, and the turn goes on', async () => {
    configure({ ...mail({ env: { TOKEN: variable('NOT_SET') } }) });
    const notices: string[] = [];
    const observer = { notice: (text: string) => notices.push(text) };
    const { session, end } = await ended(call(null, 'send', { to: 'ada' }, { observer, settings: { rules: ALLOW } }));
    expect(end.reason).toBe('completed');
    expect(notices).toContainEqual(
      expect.stringMatching(/MCP server mail: not available: its env names \$\{NOT_SET\}/),
    );
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'error' }]);
    expect(h.problems()).toEqual([]);
  });
});

describe('the servers of a project', () => {
  it('count once its file is confirmed, and a person’s of the same name stands above them', async () => {
    const theirs = mail({ args: [join(SERVERS, 'mail.ts'), join(h.area.folder, 'theirs')] });
    configure({ ...theirs, other: (mail() as { mail: object }).mail }, h.repository);
    const notices: string[] = [];
    const observer = { notice: (text: string) => notices.push(text) };
    const untrusted = await ended(call(null, 'send', { to: 'ada' }, { observer, settings: { rules: ALLOW } }));
    expect(notices).toContainEqual(expect.stringContaining('not used until you confirm it: ramet trust'));
    const namesOf = (session: RunId) =>
      h
        .eventsOfType(session, 'session.config')
        .at(-1)
        ?.tools.map(({ name }) => name);
    expect(namesOf(untrusted.session)?.filter((name) => name.startsWith('mcp__'))).toEqual([]);
    configure(mail());
    const { session } = await ended(
      call(null, 'send', { to: 'ada' }, { settings: { rules: ALLOW, trustProject: true } }),
    );
    expect(namesOf(session)).toEqual(expect.arrayContaining(['mcp__mail__send', 'mcp__other__send']));
    expect(readLines(outbox)).toEqual([{ to: 'ada' }]);
    expect(readLines(join(h.area.folder, 'theirs'))).toEqual([]);
  });

  it('are not started where the agent works in their folder itself', async () => {
    const ran = join(h.area.folder, 'ran');
    writeFiles(h.repository, { 'server.sh': `#!/bin/sh\ntouch ${ran}\n` });
    configure(
      { own: { command: '/bin/sh', args: ['server.sh'] }, away: { ...commandOf(`touch ${ran}`), cwd: '/' } },
      h.repository,
    );
    const notices: string[] = [];
    const turn = (trustProject: boolean) =>
      h.run(null, [{ text: 'done' }], {
        created: { workspace: 'directory' },
        observer: { notice: (text) => notices.push(text) },
        settings: { trustProject },
      });
    await turn(true);
    expect(notices).toContainEqual(expect.stringContaining('--trust-project is not enough'));
    expect(existsSync(ran)).toBe(false);
    const path = join(h.repository, 'ramet.json');
    recordTrust(h.home, sha256(readFileSync(path)), path);
    await turn(false);
    expect(notices).toContainEqual(expect.stringMatching(/MCP server own: .*the agent can write/));
    expect(notices).toContainEqual(expect.stringContaining('MCP server away: not available: the connection ended'));
    expect(existsSync(ran)).toBe(true);
  });
});

describe('a letter that was sent', () => {
  async function forkBeforeLetter(volatile: object = {}): Promise<RunId> {
    configure(mail(volatile));
    const { session } = await h.turn(null, 'true');
    await ended(call(session, 'send', { to: 'ada', text: 'hello', stamp: '1' }, { settings: { rules: ALLOW } }));
    return h.fork(session, 1);
  }

  it('is outstanding at a fork before it, and the same letter is stopped there', async () => {
    const child = await forkBeforeLetter();
    const [fork] = h.eventsOfType(child, 'session.fork');
    expect(fork?.outstanding).toMatchObject([{ tool: 'mcp__mail__send', input: { to: 'ada' }, outcome: 'ok' }]);
    const { questions, options } = answering('reuse');
    const settings = { ...options.settings, rules: ALLOW };
    await ended(call(child, 'send', { stamp: '1', text: 'hello', to: 'ada' }, { settings }));
    expect(questions).toMatchObject([{ matches: true }]);
    expect(readLines(outbox)).toHaveLength(1);
    expect(h.eventsOfType(child, 'tool.result').at(-1)).toMatchObject({ output: { value: { receipt: 'r-ada' } } });
    await ended(call(child, 'send', { to: 'ada', text: 'hello', stamp: '2' }, { settings }));
    expect(readLines(outbox)).toHaveLength(2);
    expect(h.problems()).toEqual([]);
  });

  it('is the same letter when only a field differs that its operator calls volatile', async () => {
    const child = await forkBeforeLetter({ volatile: { send: ['stamp'] } });
    const { questions, options } = answering('reuse');
    const settings = { ...options.settings, rules: ALLOW };
    await ended(call(child, 'send', { to: 'ada', text: 'hello', stamp: '2' }, { settings }));
    expect(questions).toMatchObject([{ matches: true }]);
    expect(readLines(outbox)).toHaveLength(1);
    await ended(call(child, 'send', { to: 'ada', text: 'bye', stamp: '1' }, { settings }));
    expect(questions).toHaveLength(1);
    expect(readLines(outbox)).toHaveLength(2);
  });
});

describe('B70: a call whose server dies in the middle', () => {
  const LETTER = { to: 'ada' };

  async function die(): Promise<{ session: RunId; offset: number; message: string }> {
    configure(mail());
    return parked(call(null, 'die', LETTER, { settings: { rules: ALLOW } }));
  }

  function goOn(session: RunId) {
    return h.run(session, null, { prompt: null, settings: { rules: ALLOW } });
  }

  it('waits for a person’s word, is not sent again by itself, and takes that word as its result', async () => {
    const { session, offset, message } = await die();
    expect(message).toMatch(/may have reached the outside: the MCP server mail did not answer/);
    expect(h.eventsOf(session)[offset]?.type).toBe('tool.intent');
    expect(h.eventsOfType(session, 'tool.result')).toEqual([]);
    expect(await parked(goOn(session))).toMatchObject({ reason: 'outcome_unknown', offset });
    const output = { type: 'json', value: { receipt: 'r-1' } } as const;
    const resolved = await resolveCall(h.store, { id: session, offset, resolution: 'happened', output });
    expect(isRefusal(resolved)).toBe(false);
    expect(await ended(goOn(session))).toMatchObject({ end: { reason: 'completed' } });
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'ok', output }]);
    expect(readLines(outbox)).toEqual([LETTER]);
    expect(h.problems()).toEqual([]);
  });

  it('is sent again with its key where a person says so', async () => {
    const { session, offset } = await die();
    await resolveCall(h.store, { id: session, offset, resolution: 'retry' });
    expect(await parked(goOn(session))).toMatchObject({ reason: 'outcome_unknown' });
    const [first, second] = h.eventsOfType(session, 'tool.intent');
    expect(second).toMatchObject({ key: first?.key, attempt: 2 });
    expect(readLines(outbox)).toEqual([LETTER, LETTER]);
    expect(h.problems()).toEqual([]);
  });

  it('has an unknown outcome where a new message ends its turn', async () => {
    const { session } = await die();
    await ended(h.run(session, [{ text: 'ok' }]));
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'outcome_unknown' }]);
    expect(h.problems()).toEqual([]);
  });
});

describe('B70: a call whose turn dies in the middle', () => {
  async function cut(tool: string, servers: object): Promise<RunId> {
    configure(servers);
    const crash = new Error('killed');
    let session = '' as RunId;
    const observer = {
      session: (id: RunId) => {
        session = id;
      },
      event: ({ type }: { readonly type: string }) => {
        if (type === 'tool.intent') throw crash;
      },
    };
    await expect(call(null, tool, { to: 'ada' }, { settings: { rules: ALLOW, observer } })).rejects.toBe(crash);
    return session;
  }

  it('waits for a person when it is a write', async () => {
    const session = await cut('send', mail());
    expect(await parked(h.run(session, null, { prompt: null }))).toMatchObject({ reason: 'outcome_unknown' });
    expect(readLines(outbox)).toEqual([]);
    expect(h.problems()).toEqual([]);
  });

  it('runs again with its key when the receiver honours that', async () => {
    const session = await cut('put', mail({ effects: { put: 'idempotent' } }));
    await ended(h.run(session, null, { prompt: null }));
    const [first, second] = h.eventsOfType(session, 'tool.intent');
    expect(second).toMatchObject({ key: first?.key, attempt: 2 });
    expect(readLines(outbox)).toMatchObject([{ meta: { 'ramet/idempotency-key': first?.key } }]);
    expect(h.problems()).toEqual([]);
  });
});

describe('an interruption in the middle of a call', () => {
  it('ends the turn, with a result that says that nobody knows', async () => {
    configure(mail());
    const interrupt = new AbortController();
    const turn = call(null, 'hang', { to: 'ada' }, { settings: { rules: ALLOW, signal: interrupt.signal } });
    await expect.poll(() => readLines(outbox), PATIENCE).toHaveLength(1);
    interrupt.abort();
    const { session, end } = await ended(turn);
    expect(end.reason).toBe('interrupted');
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'outcome_unknown' }]);
    expect(h.problems()).toEqual([]);
  });
});

it('B27: a child is asked again about what its parent was allowed for the session', async () => {
  configure(mail());
  const questions: ApprovalQuestion[] = [];
  const ask = async (question: ApprovalQuestion): Promise<ApprovalReply> => {
    questions.push(question);
    return { answer: 'allow', scope: 'session', by: 'person' };
  };
  const { session } = await ended(call(null, 'send', { to: 'ada' }, { settings: { ask } }));
  await ended(call(session, 'send', { to: 'ada' }, { settings: { ask } }));
  expect(questions).toHaveLength(1);
  const child = await h.fork(session, 2);
  await ended(call(child, 'send', { to: 'ada' }, { settings: { ask } }));
  expect(questions).toHaveLength(2);
});

it('B83: what a server’s tools are called is in no notice as it is', async () => {
  configure({ odd: { command: process.execPath, args: [join(SERVERS, 'hostile.ts'), 'names'] } });
  const notices: string[] = [];
  const observer = { notice: (text: string) => notices.push(text) };
  const result = await h.run(null, [{ text: 'done' }], { observer });
  expect(notices.join('\n')).toContain('\\x1b[31mwide');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
  expect(notices.join('\n')).not.toMatch(/\u001b/);
  expect(result).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
});
