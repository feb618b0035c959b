/**
 * Takes a conversation out of the events of its run: what the log of a session says of it, from event 1 on
 * (docs/log-format.md, L31 to L33).
 *
 * 1. Bodies are those of the run: messages, requests, replies, calls and ends, in their order. Only what names a place in
 *    the run's log names that of the session's instead, and the last end names the checkpoint of the node's files.
 * 2. A turn that has not ended is not taken.
 */
import type { Refusal } from '../../codes/index.ts';
import { type EventDraft, type EventType, type KnownEvent, knownEvent, type LoggedEvent } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';
import type { Decode } from '../../session/index.ts';
import { type ConversationFiles, createFilesFold } from './files.ts';
import { refuseTaking } from './plan.ts';
import type { ConversationPlan } from './types.ts';

/** A run's events from its beginning, its document, and what turns its values back. */
export interface ConversationSource {
  readonly events: Iterable<LoggedEvent>;
  readonly graph: Graph;
  readonly decode: Decode;
}

/** Which conversation, and the kind of workspace the session has. */
export type ConversationPlace = Pick<ConversationPlan, 'source' | 'node' | 'from' | 'offset' | 'workspace'>;

const TAKEN: ReadonlySet<EventType> = new Set<EventType>([
  'session.config',
  'message',
  'model.request',
  'model.response',
  'tool.intent',
  'tool.result',
  'tool.resolve',
  'approval.request',
  'approval.answer',
  'context.compact',
  'session.end',
]);

/**
 * Takes a conversation: the events of a session's log from event 1 on, values as they were given. Refuses with
 * `no_completed_turn` where its last turn did not end.
 */
export function takeConversation(
  source: ConversationSource,
  place: ConversationPlace,
): readonly EventDraft[] | Refusal {
  const { events, files, exit } = readConversation(source, place);
  const lastEnd = events.findLast(({ type }) => type === 'session.end')?.seq ?? -1;
  const lastMessage = events.findLast(({ type }) => type === 'message')?.seq ?? -1;
  if (lastMessage < 0 || lastEnd < lastMessage) return refuseUnended(place, lastMessage < 0);
  const kept = describeFiles(place, files, exit);
  const drafts = [...draftWorkspace(place, files, source.decode)];
  const places = new Map<number, number>();
  for (const event of events) {
    const isLastEnd = event.seq === lastEnd;
    if (isLastEnd && kept.checkpoint !== null) drafts.push(draftOf(kept.checkpoint, source.decode));
    places.set(event.seq, drafts.length + 1);
    const draft = movePlaces(draftOf(event, source.decode), places);
    drafts.push(draft.type === 'session.end' ? endWith(draft, isLastEnd ? kept : EARLIER) : draft);
  }
  return drafts;
}

interface Found {
  readonly events: readonly KnownEvent[];
  readonly files: ConversationFiles;
  readonly exit: KnownEvent | null;
}

function readConversation({ events, graph }: ConversationSource, place: ConversationPlace): Found {
  const { node, from, offset } = place;
  const fold = createFilesFold(graph, place);
  const found: KnownEvent[] = [];
  let exit: KnownEvent | null = null;
  for (const event of events) {
    if (event.seq > offset) break;
    const known = knownEvent(event);
    if (known === null) continue;
    fold.add(known);
    if (known.seq === offset) exit = known;
    if (known.seq > from && known.node === node && TAKEN.has(known.type)) found.push(known);
  }
  return { events: found, files: fold.files, exit };
}

function refuseUnended({ source, node, offset }: ConversationPlace, isEmpty: boolean): Refusal {
  const what = isEmpty ? 'failed before it said anything to its model' : 'failed in the middle of its turn';
  const message = `${node} of run ${source} ${what}: there is no finished turn to go on from`;
  return refuseTaking('no_completed_turn', message, { id: source, node, at: offset });
}

interface Kept {
  readonly checkpoint: (KnownEvent & { readonly type: 'workspace.checkpoint' }) | null;
  readonly why?: string;
}

function describeFiles(
  { workspace, node }: ConversationPlace,
  { last }: ConversationFiles,
  exit: KnownEvent | null,
): Kept {
  if (workspace === 'directory') return { checkpoint: null, why: 'directory' };
  if (workspace === 'none') return { checkpoint: null, why: 'no workspace' };
  const error = exit?.type === 'node.exit' ? exit.error : undefined;
  if (error?.code === 'checkpoint_failed') return { checkpoint: null, why: `${node} failed: ${error.message}` };
  if (last === undefined) return { checkpoint: null, why: `the run has no checkpoint of the files of ${node}` };
  return { checkpoint: last };
}

/** How the workspace was opened, and the state it opened with. */
function draftWorkspace(
  { workspace }: ConversationPlace,
  { opened, opening }: ConversationFiles,
  decode: Decode,
): readonly EventDraft[] {
  if (workspace === 'none' || opened === undefined) return [{ ...NO_WORKSPACE, kind: workspace }];
  return [opened, ...(opening === undefined ? [] : [opening])].map((event) => draftOf(event, decode));
}

const NO_WORKSPACE = {
  type: 'workspace.open',
  base: null,
  branch: null,
  carried: [],
  copied: [],
  leftOut: [],
  dirty: {},
} as const;

/** An event without its envelope, its values as they were given. `acknowledged` is about the run's own source. */
function draftOf(event: KnownEvent, decode: Decode): EventDraft {
  const { seq: _seq, prev: _prev, time: _time, node: _node, event0: _event0, ...body } = event;
  const fields = Object.entries(body).filter(([name]) => name !== 'acknowledged');
  return Object.fromEntries(fields.map(([name, value]) => [name, decode(value)])) as unknown as EventDraft;
}

/** `places`: where events of the run are in the session. */
function movePlaces(draft: EventDraft, places: ReadonlyMap<number, number>): EventDraft {
  if (draft.type === 'tool.resolve') return { ...draft, intent: places.get(draft.intent) ?? 0 };
  if (draft.type !== 'context.compact') return draft;
  const replaced = [...places].flatMap(([before, now]) => (before <= draft.through ? [now] : []));
  return { ...draft, through: replaced.at(-1) ?? 0 };
}

/** Of the turns before the last the files are not kept apart. */
const EARLIER: Kept = { checkpoint: null, why: 'the checkpoint of a node comes before its exit' };

function endWith(end: EventDraft & { readonly type: 'session.end' }, { checkpoint, why }: Kept): EventDraft {
  const { why: _, ...rest } = end;
  if (checkpoint !== null) return { ...rest, checkpoint: checkpoint.id };
  return { ...rest, checkpoint: 'none', why: why ?? 'none was taken' };
}
