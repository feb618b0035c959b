/**
 * Everything that waits for a person: what this daemon asks, and what nobody goes on with until somebody says a word.
 *
 * 1. Only sessions with an open turn and runs that are neither ended nor driven are read for it.
 * 2. It is put together once for as long as no run changed and no question was asked or answered.
 */
import { createSessionFold, type RunId, type SessionState } from '@ramet/core';
import { isGraphSummary, type RunSummary, type SessionSummary } from '@ramet/runtime/inspect';
import type { GraphRunListing } from '@ramet/runtime/inspect/runs';
import type { FileStore } from '@ramet/runtime/store';
import type { InboxItemAnswer } from '../contract/bodies.ts';
import * as routes from '../contract/routes/system.ts';
import { type Endpoint, makeEndpoint, Rendered, reply } from '../http/endpoint.ts';
import type { Served } from './api.ts';
import { keepBeside } from './rows.ts';

/** The endpoint of the inbox. */
export function listInboxEndpoints(api: Served): readonly Endpoint[] {
  const { rows, daemon } = api;
  const recordedIn = keepBeside(() => listRecorded(api));
  // What is asked is none of what rows say.
  let answerOf = keepAnswer(api, recordedIn);
  daemon.watchLive(() => {
    answerOf = keepAnswer(api, recordedIn);
  });
  return [makeEndpoint(routes.readInbox, () => answerOf(rows.all()))];
}

type Recorded = (all: readonly RunSummary[]) => readonly InboxItemAnswer[];

/** Put together when it is asked for first: questions come and go while nobody looks. */
function keepAnswer(api: Served, recordedIn: Recorded) {
  return keepBeside((all: readonly RunSummary[]) => {
    const items = [...listAsked(api), ...recordedIn(all)];
    return reply(200, new Rendered({ items: items.sort(bySince) }));
  });
}

/** What waits longest comes first. */
function bySince(left: InboxItemAnswer, right: InboxItemAnswer): number {
  return left.since < right.since ? -1 : left.since > right.since ? 1 : 0;
}

function listAsked({ daemon, rows }: Served): readonly InboxItemAnswer[] {
  return daemon.listAsks().map(({ id, since, ask }) => {
    const row = rows.find(id);
    const kind = row !== null && isGraphSummary(row) ? 'run' : 'session';
    return { waits: 'approval', id, kind, title: row?.title ?? '', since, ask };
  });
}

/** What logs say. */
function listRecorded({ services: { store }, rows }: Served): readonly InboxItemAnswer[] {
  return [...rows.sessions().flatMap((session) => listOfSession(store, session)), ...rows.runs().flatMap(listOfRun)];
}

function listOfSession(
  store: FileStore,
  { id, title, state, events, lastTime }: SessionSummary,
): readonly InboxItemAnswer[] {
  if (state !== 'interrupted') return [];
  const where = { id, kind: 'session' as const, title, since: lastTime };
  const calls = readOpenCalls(store, id, events);
  const unknown = calls.filter(({ intent, result, resolution }) => {
    const hasLeft = intent?.effect === 'write' && intent.contained !== true;
    return hasLeft && result === undefined && resolution === undefined;
  });
  if (unknown.length > 0) {
    return unknown.map(({ intent, tool }) => ({ waits: 'outcome', ...where, offset: intent?.seq ?? 0, tool }));
  }
  const asked = calls.find(({ approvalRequest, approval }) => approvalRequest !== undefined && approval === undefined);
  return [{ waits: 'resume', ...where, reason: asked === undefined ? CUT_OFF : describePending(asked.tool) }];
}

const CUT_OFF = 'its turn was cut off';

function describePending(tool: string): string {
  return `a call of ${tool} is asked about: going on asks again`;
}

type Calls = NonNullable<SessionState['open']>['calls'];

function readOpenCalls(store: FileStore, id: RunId, events: number): Calls {
  const fold = createSessionFold();
  for (const event of store.read(id)?.readEvents({ to: events - 1 }) ?? []) fold.add(event);
  return fold.state.open?.calls ?? [];
}

function listOfRun({ id, title, state, waits, lastTime }: GraphRunListing): readonly InboxItemAnswer[] {
  const where = { id, kind: 'run' as const, title, since: lastTime };
  const gates = waits.gates.map((gate) => ({ waits: 'gate' as const, ...where, ...gate }));
  const calls = waits.calls.map(({ node, offset, tool, reason }) =>
    reason === 'outcome_unknown'
      ? ({ waits: 'outcome', ...where, offset, tool, node } as const)
      : ({ waits: 'resume', ...where, reason: describePending(tool) } as const),
  );
  const items = [...gates, ...calls];
  return items.length > 0 || state !== 'interrupted'
    ? items
    : [{ waits: 'resume', ...where, reason: 'it was cut off' }];
}
