/** How a run stands that nobody drives, and what it waits for: folded from its log and document. */
import {
  createRunFold,
  decoderOf,
  describeRunStatus,
  type EventOf,
  findOpenGates,
  findUnknownCalls,
  type Graph,
  knownEvent,
  type LoggedEvent,
  type NodePath,
  type RunState,
} from '@ramet/core';
import { reachFlags } from '../../session/reach.ts';
import type { LogReader } from '../../store/index.ts';

/** What a run waits for. */
export interface RunWaits {
  readonly gates: readonly {
    readonly node: NodePath;
    /** Of its `gate.open`. */
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
  }[];
  readonly calls: readonly {
    readonly node: NodePath;
    /** Of its `tool.intent`, or of the `approval.request`. */
    readonly offset: number;
    readonly tool: string;
    readonly reason: 'outcome_unknown' | 'approval_pending';
  }[];
  /** Flags the command that goes on needs to reach what the last one reached. */
  readonly flags: readonly string[];
}

/**
 * `parked`: only a person can go on with it. `idle`: it can be gone on with, and nothing was cut off. `interrupted`:
 * nodes were left at work.
 */
export type OpenRunState = 'idle' | 'parked' | 'interrupted';

export interface Standing {
  readonly state: OpenRunState | 'completed' | 'failed' | 'abandoned';
  readonly waits: RunWaits;
}

/** Reads how a run stands; damage is the caller's to have looked for, `to` is the last event to read. */
export function readStanding(reader: LogReader, graph: Graph, to: number): Standing {
  const fold = createRunFold(graph);
  const asked = new Map<string, EventOf<'approval.request'>>();
  let config: EventOf<'session.config'> | undefined;
  for (const event of reader.readEvents({ to })) {
    fold.add(event);
    followQuestions(asked, event);
    if (event.type === 'session.config' && event.node === undefined) config = configOf(event) ?? config;
  }
  const waits = describeWaits(reader, fold.state, [...asked.values()]);
  return { state: stateOf(fold.state, waits), waits: { ...waits, flags: reachFlags(config) } };
}

function configOf(event: LoggedEvent): EventOf<'session.config'> | undefined {
  const known = knownEvent(event);
  return known?.type === 'session.config' ? known : undefined;
}

/** A question is open until it, or its call, or its node has an answer. */
function followQuestions(asked: Map<string, EventOf<'approval.request'>>, event: LoggedEvent): void {
  if (event.node === undefined || !QUESTION_EVENTS.has(event.type)) return;
  const known = knownEvent(event);
  if (known?.type === 'approval.request') asked.set(event.node, known);
  else asked.delete(event.node);
}

const QUESTION_EVENTS: ReadonlySet<string> = new Set([
  'approval.request',
  'approval.answer',
  'tool.result',
  'node.exit',
]);

function describeWaits(
  reader: LogReader,
  state: RunState,
  asked: readonly EventOf<'approval.request'>[],
): Omit<RunWaits, 'flags'> {
  const decode = decoderOf(reader);
  if (state.status !== 'running') return { gates: [], calls: [] };
  return {
    gates: findOpenGates(state).map(({ path: node, offset, question, answerSchema }) => ({
      node,
      offset,
      question: String(decode(question)),
      answerSchema: decode(answerSchema) as Readonly<Record<string, unknown>>,
    })),
    calls: [
      ...findUnknownCalls(state).map(({ path: node, offset, tool }) => ({
        node,
        offset,
        tool,
        reason: 'outcome_unknown' as const,
      })),
      ...asked
        .filter(({ node, seq }) => state.nodes.get(node ?? '')?.status === 'running' && seq > state.inheritedThrough)
        .map(({ node = '', seq: offset, tool }) => ({ node, offset, tool, reason: 'approval_pending' as const })),
    ],
  };
}

function stateOf(state: RunState, { calls }: Pick<RunWaits, 'calls'>): Standing['state'] {
  const standing = describeRunStatus(state);
  if (standing.kind !== 'running' && standing.kind !== 'delayed') return standing.kind;
  // Of questions about calls the walk knows nothing: to it such a node was left at work.
  const asked = new Set(calls.filter(({ reason }) => reason === 'approval_pending').map(({ node }) => node));
  const { inheritedThrough: through, progress } = state;
  const isOwn = ({ lastEntered }: { readonly lastEntered: number }): boolean => lastEntered > through;
  const left = [...progress.running].filter((node) => isOwn(node) && !asked.has(node.path));
  const stopped = [...state.nodes.values()].some((node) => isOwn(node) && node.status === 'interrupted');
  const hasMore = progress.tasks.size + progress.delayed.size > 0;
  if (asked.size > 0 && !hasMore && left.every(({ path }) => calls.some(({ node }) => node === path))) return 'parked';
  return left.length > 0 || stopped ? 'interrupted' : 'idle';
}
