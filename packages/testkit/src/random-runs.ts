/** Random logs of graph runs that the log format allows: nodes at work at the same time, crashes, forks of forks. */
import { canonicalJson, type EncodedLine, type EventDraft } from '@ramet/core';
import fc from 'fast-check';
import { encodeLog, makeTestId, sha256 } from './log-builders.ts';
import { buildNodeCheckpoint, buildRun, buildRunFork } from './run-builders.ts';

const PATHS = ['a', 'b', 'c-1', 'm[0]/x', 'm[1]/x', 'm[1]/f#1/body', 'm[1]/f#2/body'] as const;

/** One thing that happens to a node; what cannot happen as it stands is passed over. */
const act = fc.record({
  path: fc.constantFrom(...PATHS),
  kind: fc.constantFrom('enter', 'enter', 'call', 'begin', 'end', 'checkpoint', 'exit', 'exit', 'fail', 'skip'),
  effect: fc.constantFrom('read' as const, 'idempotent' as const, 'write' as const),
  contained: fc.constantFrom(true, false, 'unless_egress' as const),
  value: fc.string({ maxLength: 6 }),
});
type Act = (typeof act extends fc.Arbitrary<infer T> ? T : never) & object;

const chapter = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 25 }),
  /** Which `node.enter` the next chapter forks at, as a share of those there are. */
  forkAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

/** A log of one run, with the forks it descends from. */
export const runLog: fc.Arbitrary<readonly EncodedLine[]> = fc
  .array(chapter, { minLength: 1, maxLength: 3 })
  .map((chapters) =>
    chapters.reduce<readonly EncodedLine[]>(
      (before, { acts, forkAt }, index) => {
        const enters = entriesOf(before);
        const at = enters[Math.floor(forkAt * enters.length)];
        const lines = at === undefined ? before : buildRunFork(before, { id: makeTestId(index + 1), at });
        return playActs(lines, acts);
      },
      encodeLog(buildRun({ nodes: [] })),
    ),
  );

/** Offsets of every `node.enter`. */
export function entriesOf(lines: readonly EncodedLine[]): readonly number[] {
  return lines.flatMap(({ event }) => (event.type === 'node.enter' ? [event.seq] : []));
}

interface NodeStanding {
  attempt: number;
  open: boolean;
  finished: boolean;
  calls: number;
  /** A call without a result. */
  waiting: string | null;
}

function playActs(before: readonly EncodedLine[], acts: readonly Act[]): readonly EncodedLine[] {
  const nodes = new Map<string, NodeStanding>();
  for (const { event } of before) if (typeof event.node === 'string') follow(standingOf(nodes, event.node), event);
  const drafts = acts.flatMap((each) => {
    const node = standingOf(nodes, each.path);
    const made = draftAct(each, node);
    for (const draft of made) follow(node, draft);
    return made;
  });
  return encodeLog(drafts, before);
}

function standingOf(nodes: Map<string, NodeStanding>, path: string): NodeStanding {
  const known = nodes.get(path) ?? { attempt: 0, open: false, finished: false, calls: 0, waiting: null };
  nodes.set(path, known);
  return known;
}

function follow(node: NodeStanding, event: Readonly<Record<string, unknown>>): void {
  const { type, attempt, outcome, callId } = event;
  if (type === 'node.enter') Object.assign(node, { attempt, open: true, calls: 0, waiting: null });
  else if (type === 'node.exit') Object.assign(node, { open: false, finished: outcome === 'ok', waiting: null });
  else if (type === 'node.skip') node.finished = true;
  else if (type === 'tool.intent') Object.assign(node, { waiting: callId, calls: node.calls + 1 });
  else if (type === 'tool.result') node.waiting = null;
}

function draftAct({ path: node, kind, effect, contained, value }: Act, standing: NodeStanding): readonly EventDraft[] {
  const { attempt, open, finished, calls, waiting } = standing;
  if (kind === 'enter') return finished ? [] : [draftEnter(node, attempt + 1, { value })];
  if (kind === 'skip') return attempt > 0 || finished ? [] : [{ type: 'node.skip', node, reason: value }];
  if (!open) return [];
  if (kind === 'checkpoint') return [buildNodeCheckpoint(node, `checkpoint-${value}`)];
  if (kind === 'exit') return [{ type: 'node.exit', node, attempt, outcome: 'ok', output: value }];
  if (kind === 'fail')
    return [{ type: 'node.exit', node, attempt, outcome: 'failed', error: { code: 'x', message: '' } }];
  const end = (callId: string): EventDraft => {
    return { type: 'tool.result', node, callId, tool: 'send', outcome: 'ok', output: { type: 'text', value } };
  };
  if (kind === 'end') return waiting === null ? [] : [end(waiting)];
  if (waiting !== null) return [];
  const callId = `call-${attempt}.${calls}`;
  const key = sha256(`${node} ${callId}`);
  const intent: EventDraft = {
    type: 'tool.intent',
    node,
    callId,
    tool: 'send',
    input: { value },
    effect,
    contained,
    key,
  };
  return kind === 'begin' ? [intent] : [intent, end(callId)];
}

function draftEnter(node: string, attempt: number, input: object): EventDraft {
  return { type: 'node.enter', node, attempt, input, inputDigest: sha256(canonicalJson(input)) };
}
