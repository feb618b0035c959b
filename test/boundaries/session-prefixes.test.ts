/**
 * Every prefix of a scripted turn resumes: to the same end outside a shell call, with the recorded `outcome_unknown`
 * inside one, and without doing twice what left the workspace.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSessionFold, isRefusal, type LoggedEvent, nextStep, type RunId } from '@ramet/core';
import { resolveCall, setTitle } from '@ramet/runtime/runs';
import { openFileStore } from '@ramet/runtime/store';
import {
  askSink,
  callShell,
  callTool,
  type Fingerprint,
  makeSessionHarness,
  type SessionHarness,
  type Sink,
  startSink,
} from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CutTurn, cutLog, dieAt, resume } from './cut-sessions.ts';

/** What a turn that was never cut came to. */
interface Reference {
  readonly first: number;
  readonly events: readonly LoggedEvent[];
  readonly fingerprint: Fingerprint;
}

async function record(h: SessionHarness, turn: CutTurn): Promise<Reference> {
  h.saveState('base');
  const first = h.eventsOf(turn.session).length;
  await h.run(turn.session, turn.replies, turn.options);
  const events = h.eventsOf(turn.session).slice(first);
  return { first, events, fingerprint: await h.fingerprintOf(turn.session) };
}

interface Cut {
  readonly event: LoggedEvent;
  /** The cut lies between an intent and its result. */
  readonly inCall: boolean;
  /** The call had done its work when the process died. */
  readonly ran: boolean;
  readonly reference: Reference;
}

/** Resumes after each cut and holds the end against the reference. */
async function cutEverywhere(h: SessionHarness, turn: CutTurn, judge: (cut: Cut) => Promise<void>): Promise<void> {
  const reference = await record(h, turn);
  for (const event of reference.events) {
    const inCall = event.type === 'tool.intent';
    for (const ran of inCall ? [false, true] : [false]) {
      h.restoreState('base');
      await dieAt(h, turn, { at: event.seq + (ran ? 1 : 0), keep: event.seq });
      await judge({ event, inCall, ran, reference });
      const where = `cut after ${event.type} at ${event.seq}${ran ? ', the call had run' : ''}`;
      expect(h.problems(), where).toEqual([]);
      const end = h.eventsOfType(turn.session, 'session.end').at(-1);
      expect(end, where).toMatchObject({ reason: 'completed' });
      if (inCall) continue;
      expect(await h.fingerprintOf(turn.session), where).toEqual(reference.fingerprint);
    }
  }
}

const TOOLS = [
  callTool('write_file', { path: 'a', content: 'one\n' }),
  callTool('edit_file', { path: 'a', old: 'one', new: 'two' }),
  callTool('read_file', { path: 'a' }),
];

describe('a session cut at every event', { timeout: 300_000 }, () => {
  let h: SessionHarness;
  let sink: Sink;
  beforeAll(async () => {
    h = makeSessionHarness();
    sink = await startSink();
  });
  afterAll(async () => {
    await sink.close();
    h.remove();
  });

  it('of file tools comes to the same end, whether the call had run or not', async () => {
    const { session } = await h.turn(null, 'true');
    const turn = { session, replies: [...TOOLS, { text: 'done' }], messages: 1 };
    await cutEverywhere(h, turn, async ({ event, ran, reference }) => {
      const result = await resume(h, turn);
      expect(result ?? { text: 'done' }, event.type).toMatchObject({ text: 'done' });
      expect(await h.fingerprintOf(session), `${event.type} ${ran}`).toEqual(reference.fingerprint);
    });
  });

  it('of contained shell calls never runs one twice, and tells the model of the one it was in', async () => {
    const { session } = await h.turn(null, 'true');
    const replies = [
      callShell('echo x >> count'),
      callShell('git add count; GIT_AUTHOR_DATE=@1 GIT_COMMITTER_DATE=@1 git commit -qm c'),
      { text: 'done' },
    ];
    const turn = { session, replies, messages: 1 };
    await cutEverywhere(h, turn, async ({ event, inCall, ran }) => {
      await resume(h, turn);
      const outcomes = h
        .eventsOfType(session, 'tool.result')
        .slice(1)
        .map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'outcome_unknown')).toHaveLength(inCall ? 1 : 0);
      const events = h.eventsOfType(session, 'tool.intent').slice(1);
      expect(new Set(events.map(({ key }) => key)).size, `${event.type} ${ran}`).toBe(events.length);
    });
  });

  it('of a fork comes to the same end: it is restored once, and the parent is not touched', async () => {
    const { session: parent } = await h.turn(null, 'echo 1 > f; git add f; echo 2 > g');
    await h.turn(parent, 'rm f g');
    const session = await h.fork(parent, 1, { title: 'child' });
    const turn = { session, replies: [...TOOLS, { text: 'done' }], messages: 1 };
    const before = h.logOf(parent);
    await cutEverywhere(h, turn, async () => {
      await resume(h, turn);
      expect(h.logOf(parent).equals(before)).toBe(true);
    });
  });

  it('of a call a person is asked about is asked about once, answered once, and comes to the same end', async () => {
    const { session } = await h.turn(null, 'true');
    let questions = 0;
    const ask = async () => {
      questions += 1;
      return { answer: 'allow', scope: 'once', by: 'person' } as const;
    };
    const rules = [{ tool: 'write_file', do: 'ask' }] as const;
    const replies = [callTool('write_file', { path: 'a', content: 'a' }), { text: 'done' }];
    const turn = { session, replies, options: { settings: { rules, ask } }, messages: 1 };
    await cutEverywhere(h, turn, async ({ event }) => {
      await resume(h, turn);
      expect(h.eventsOfType(session, 'approval.request'), event.type).toHaveLength(1);
      expect(h.eventsOfType(session, 'approval.answer'), event.type).toHaveLength(1);
    });
    expect(questions).toBeGreaterThan(0);
  });

  it('of calls that leave the workspace waits for a person, and sends nothing twice', async () => {
    const settings = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] } as const;
    const { session } = await h.turn(null, 'true', { settings });
    const replies = [callShell(askSink(sink, 'one')), callShell(askSink(sink, 'two')), { text: 'done' }];
    const turn = { session, replies, options: { settings }, messages: 1 };
    await cutEverywhere(h, turn, async ({ event, inCall, ran, reference }) => {
      // What came before the turn that was cut: the uncut one, once.
      if (event === reference.events[0]) sink.clear();
      const before = sink.seen.length;
      const result = await resume(h, turn);
      if (inCall) {
        if (result?.kind !== 'parked') throw new Error(`not parked: ${JSON.stringify(result)}`);
        expect(result).toMatchObject({ reason: 'outcome_unknown', offset: event.seq });
        expect(sink.seen.length).toBe(before);
        const resolution = ran ? 'happened' : 'retry';
        expect(isRefusal(await resolveCall(h.store, { id: session, offset: event.seq, resolution }))).toBe(false);
        await resume(h, turn);
      }
      const keys = h
        .eventsOfType(session, 'tool.intent')
        .slice(1)
        .map(({ key }) => key);
      expect(new Set(keys).size).toBe(2);
      expect(sink.seen.toSorted(), `${event.type} ${ran}`).toEqual(['/one', '/two']);
      sink.clear();
    });
  });
});

/** The step a session needs next, and how much of it is known. */
function stateOf(events: readonly LoggedEvent[]): unknown {
  const fold = createSessionFold();
  for (const event of events) if (event.type !== 'log.repair') fold.add(event);
  const { turns, open, context, grants, workspaceReady } = fold.state;
  const step = nextStep(fold.state);
  return { turns, open, context, grants, workspaceReady, step };
}

describe('a session cut at every byte of a line', { timeout: 300_000 }, () => {
  it('is repaired to the event before, or to the whole one; and says so', async () => {
    const h = makeSessionHarness();
    const { session } = await h.turn(null, 'echo é > f');
    await setTitle(h.store, session, 'a title');
    const child = await h.fork(session, 1, { title: 'é' });
    for (const id of [session, child]) await checkBytes(h, id);
    h.remove();
  });
});

async function checkBytes(h: SessionHarness, id: RunId): Promise<void> {
  const home = join(h.area.folder, 'cut');
  const store = openFileStore({ home, now: Date.now });
  const lines = h.logOf(id).toString('utf8').split('\n').slice(0, -1);
  const events = h.eventsOf(id);
  const rounds = Number(process.env.RAMET_FAULT_ROUNDS ?? 12);
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const length = Buffer.byteLength(line);
    const isLast = index === lines.length - 1;
    const step = isLast ? 1 : Math.max(1, Math.floor(length / rounds));
    for (let bytes = 1; bytes <= length; bytes = bytes === length ? length + 1 : Math.min(bytes + step, length)) {
      rmSync(home, { recursive: true, force: true });
      const { folder } = store.pathsOf(id);
      mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
      cpSync(h.store.pathsOf(id).folder, folder, { recursive: true, filter: (path) => !path.includes('/workspace') });
      cutLog(join(folder, 'log'), index, bytes);
      const log = await store.own(id);
      if (isRefusal(log)) throw new Error(log.message);
      const found = [...log.readEvents()];
      log.close();
      const where = `event ${index}, byte ${bytes} of ${length}`;
      expect(found.at(-1), where).toMatchObject({ type: 'log.repair', kept: bytes === length });
      expect(stateOf(found), where).toEqual(stateOf(events.slice(0, index + (bytes === length ? 1 : 0))));
    }
  }
}
