/** The places of a walk as answers show them: core's fold over a log, without what only the fold needs. */
import {
  createNodeFold,
  decoderOf,
  type NodeCallView as FoldedCallView,
  type NodeView as FoldedNodeView,
  type Graph,
} from '@ramet/core';
import type { LogReader } from '../../store/index.ts';

export type NodeCallView = Omit<FoldedCallView, 'callId'>;

export interface NodeView extends Omit<FoldedNodeView, 'calls'> {
  readonly calls: readonly NodeCallView[];
}

export interface WalkRange {
  /** The last event to read. */
  readonly to: number;
  /** The last inherited event; -1 without any. */
  readonly through: number;
  readonly graph: Graph | null;
}

/** The places of a walk, in the order in which they were first met. */
export function walkNodes(reader: LogReader, { to, through, graph }: WalkRange): readonly NodeView[] {
  const fold = createNodeFold({ graph, through, decode: decoderOf(reader) });
  for (const event of reader.readEvents({ to })) fold.add(event);
  return [...fold.nodes.values()].map(({ calls, ...node }) => ({
    ...node,
    calls: calls.map(({ callId: _, ...call }) => call),
  }));
}
