import { deriveRunOverview, type EncodedLine, type EventDraft, isRefusal, planRunFork } from '@ramet/core';
import { outlineLog } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildChild,
  buildRun,
  checkpoint,
  enter,
  exit,
  intent,
  makeGraph,
  resolve,
  result,
  skip,
  sourceOf,
} from './run-log.ts';

const tool = { kind: 'tool', tool: 'mcp__a__send' } as const;
const shell = { kind: 'tool', exec: { command: 'make' } } as const;
const GRAPH = makeGraph({
  nodes: {
    a: shell,
    side: tool,
    map: {
      kind: 'map',
      over: '[1, 2]',
      concurrency: 2,
      body: {
        nodes: { x: tool, y: { kind: 'agent', tools: ['*'], workspace: 'own' } },
        edges: [{ from: 'x', to: 'y' }],
      },
    },
    fold: { kind: 'fold', until: 'false', maxPasses: 9, body: { nodes: { z: shell } } },
    end: tool,
  },
  edges: [
    { from: 'a', to: 'map' },
    { from: 'a', to: 'side' },
    { from: 'map', to: 'fold' },
    { from: 'fold', to: 'end' },
  ],
});
const PATHS = [
  'a',
  'side',
  'map',
  'map[0]/x',
  'map[0]/y',
  'map[1]/x',
  'map[1]/y',
  'fold',
  'fold#1/z',
  'fold#2/z',
  'end',
];

const act = fc.record({
  node: fc.constantFrom(...PATHS),
  kind: fc.constantFrom(
    'enter',
    'enter',
    'begin',
    'begin',
    'again',
    'end',
    'end',
    'exit',
    'skip',
    'resolve',
    'checkpoint',
    'other',
  ),
  callId: fc.constantFrom('c1', 'c2'),
  effect: fc.constantFrom('read' as const, 'idempotent' as const, 'write' as const, 'write' as const),
  contained: fc.constantFrom(true, false, 'unless_egress' as const),
  outcome: fc.constantFrom('ok' as const, 'error' as const, 'outcome_unknown' as const),
  egress: fc.subarray(['a.example']),
  exit: fc.constantFrom('ok' as const, 'failed' as const, 'interrupted' as const),
  word: fc.constantFrom('happened' as const, 'did_not_happen' as const, 'retry' as const),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** A log in which nodes and calls keep to their order, and nothing else is asked of it. */
class Chronicle {
  readonly drafts: EventDraft[] = [];
  readonly attempts = new Map<string, number>();
  readonly atWork = new Set<string>();
  readonly settled = new Set<string>();
  /** Calls without a result, by node and call: the offset of the latest intent, and what it said. */
  readonly open = new Map<string, { readonly offset: number; readonly said: Act }>();

  take(next: Act): void {
    const { node, callId } = next;
    const key = `${node} ${callId}`;
    const began = this.open.get(key);
    if (next.kind === 'other') this.#add({ type: 'random', value: 1 });
    else if (next.kind === 'skip') this.#skip(node);
    else if (next.kind === 'enter') this.#enter(node);
    else if (!this.atWork.has(node)) return;
    else if (next.kind === 'checkpoint') this.#add(checkpoint(`cp-${this.drafts.length}`, node));
    else if (next.kind === 'exit') this.#exit(next);
    else if (next.kind === 'begin' && began === undefined) this.#begin(key, next);
    else if (began === undefined) return;
    else if (next.kind === 'again') this.#begin(key, began.said, 2);
    else if (next.kind === 'resolve') this.#add(resolve(node, began.offset, next.word, callId));
    else if (next.kind === 'end') this.#end(next, key);
  }

  #add(draft: EventDraft): number {
    return this.drafts.push(draft);
  }

  #begin(key: string, said: Act, attempt?: number): void {
    const offset = this.#add(intent(said.node, attempt === undefined ? said : { ...said, attempt }));
    this.open.set(key, { offset, said });
  }

  #enter(node: string): void {
    if (this.settled.has(node)) return;
    const attempt = (this.attempts.get(node) ?? 0) + 1;
    this.attempts.set(node, attempt);
    this.atWork.add(node);
    this.#add(enter(node, attempt));
  }

  #skip(node: string): void {
    if (this.attempts.has(node) || this.settled.has(node)) return;
    this.settled.add(node);
    this.#add(skip(node, 'why'));
  }

  #exit(next: Act): void {
    this.atWork.delete(next.node);
    if (next.exit === 'ok') this.settled.add(next.node);
    for (const key of this.open.keys()) if (key.startsWith(`${next.node} `)) this.open.delete(key);
    this.#add(exit(next.node, next.exit, this.attempts.get(next.node)));
  }

  #end(next: Act, key: string): void {
    this.open.delete(key);
    this.#add(result(next.node, next));
  }

  /** Ends what is open, so that nothing is left that only a person knows. */
  finish(): readonly EventDraft[] {
    for (const key of [...this.open.keys()]) {
      const [node = '', callId = ''] = key.split(' ');
      this.#add(result(node, { callId }));
    }
    return this.drafts;
  }
}

const runLog = fc
  .record({ acts: fc.array(act, { minLength: 5, maxLength: 80 }), whole: fc.boolean() })
  .map(({ acts, whole }) => {
    const chronicle = new Chronicle();
    chronicle.take({ ...(acts[0] as Act), kind: 'enter' });
    for (const next of acts) chronicle.take(next);
    return buildRun(GRAPH, whole ? chronicle.finish() : chronicle.drafts);
  });

const cutRun = runLog.chain((lines) =>
  fc.record({
    lines: fc.constant(lines),
    cuts: fc.array(fc.integer({ min: 1, max: lines.length }), { maxLength: 8 }).map((cuts) => [1, ...cuts]),
  }),
);

function entersOf(lines: readonly EncodedLine[]): readonly number[] {
  return lines.flatMap(({ event }) => (event.type === 'node.enter' ? [event.seq] : []));
}

/** Lines of a call: its end is the first line after it that ends it. */
function endsOf(lines: readonly EncodedLine[], at: number): readonly { readonly seq: number; readonly says: string }[] {
  const { node, callId } = lines[at]?.event ?? { node: undefined, callId: undefined };
  return lines.slice(at + 1).flatMap(({ event }) => {
    if (event.node !== node) return [];
    if (event.type === 'node.exit') return [{ seq: event.seq, says: 'exit' }];
    if (event.type === 'tool.resolve' && event.intent === at)
      return [{ seq: event.seq, says: String(event.resolution) }];
    if (event.callId !== callId) return [];
    if (event.type === 'tool.intent') return [{ seq: event.seq, says: 'again' }];
    return event.type === 'tool.result' ? [{ seq: event.seq, says: String(event.outcome) }] : [];
  });
}

/** What a plain reading of the lines says of every write: where it is, whether the re-walk touches it, how it ended. */
function readPlainly(lines: readonly EncodedLine[], boundary: number) {
  return lines.flatMap(({ event }) => {
    if (event.type !== 'tool.intent') return [];
    const ends = endsOf(lines, event.seq);
    const [end] = ends;
    const touched = event.seq > boundary || end === undefined || end.seq > boundary;
    const said = end?.says === 'exit' || end?.says === 'again' ? undefined : end?.says;
    const unknown = end === undefined && event.effect === 'write' && event.contained !== true;
    return touched ? [{ event, said, unknown }] : [];
  });
}

describe('in any run, however it is cut', () => {
  it('prefix and re-walk part its writes: what is asked about, exempt, or keyed is what a plain reading finds', () => {
    fc.assert(
      fc.property(cutRun, ({ lines, cuts }) => {
        for (const at of entersOf(lines)) {
          const plan = planRunFork(sourceOf(GRAPH, lines, cuts), { at });
          const touched = readPlainly(lines, at);
          const unknown = touched.filter((call) => call.unknown).map(({ event }) => event.seq);
          if (isRefusal(plan)) {
            expect(plan.code).toBe('origin_needs_reconciliation');
            expect((plan.data.calls as { offset: number }[]).map(({ offset }) => offset)).toEqual(unknown);
            continue;
          }
          expect(unknown).toEqual([]);
          const happened = touched.filter(({ said, event }) => said !== 'did_not_happen' && event.effect === 'write');
          const listed = [...plan.writes, ...plan.exempt].map(({ offset }) => offset).sort((a, b) => a - b);
          expect(listed).toEqual(happened.map(({ event }) => event.seq));
          expect(plan.idempotent.every(({ effect }) => effect === 'idempotent')).toBe(true);
          for (const { offset } of plan.exempt) expect(lines[offset]?.event.contained).not.toBe(false);
          for (const { offset, straddles } of plan.writes) expect(straddles).toBe(offset < at);
          expect(plan.prefix.events + 1).toBe(at);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a plan is the same as of one segment, and whatever is acknowledged', () => {
    fc.assert(
      fc.property(cutRun, fc.array(fc.nat(90), { maxLength: 4 }), ({ lines, cuts }, acknowledge) => {
        for (const at of entersOf(lines)) {
          const whole = planRunFork(sourceOf(GRAPH, lines), { at });
          const cut = planRunFork(sourceOf(GRAPH, lines, cuts), { at, acknowledge });
          if (isRefusal(whole) || isRefusal(cut)) {
            expect(cut).toEqual(whole);
            continue;
          }
          const { boundary, prefix, acknowledged, ...rest } = cut;
          expect(rest).toEqual(withoutPlaces(whole));
          expect(prefix).toMatchObject({ events: whole.prefix.events, bytes: whole.prefix.bytes });
          expect(acknowledged).toEqual([...new Set(acknowledge)].sort((a, b) => a - b));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('the checkpoint of the run’s workspace is the last one below the boundary of a node without a workspace of its own', () => {
    fc.assert(
      fc.property(cutRun, ({ lines, cuts }) => {
        for (const at of entersOf(lines)) {
          const plan = planRunFork(sourceOf(GRAPH, lines, cuts), { at });
          if (isRefusal(plan)) continue;
          const taken = lines.slice(0, at).filter(({ event }) => event.type === 'workspace.checkpoint');
          const last = (isOf: (node: string) => boolean) =>
            taken.findLast(({ event }) => isOf(String(event.node)))?.event.id ?? null;
          for (const { workspace, checkpoint: found, leftOut } of plan.workspaces) {
            expect(found).toBe(last((node) => (workspace === '' ? !node.endsWith('y') : node === workspace)));
            for (const node of leftOut) expect(isAtWork(lines, node, at)).toBe(true);
          }
          const owners = PATHS.filter((path) => path.endsWith('y') && isAtWork(lines, path, at));
          expect(plan.workspaces.map(({ workspace }) => workspace).sort()).toEqual(['', ...owners]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('a child’s log outlines as its own and its source’s lines, and may be forked again where its source might', () => {
    fc.assert(
      fc.property(cutRun, fc.nat(), ({ lines, cuts }, pick) => {
        const enters = entersOf(lines);
        const at = enters[pick % enters.length] ?? 0;
        const plan = planRunFork(sourceOf(GRAPH, lines), { at });
        if (isRefusal(plan)) return;
        const { attempt } = plan.boundary;
        const own = [enter(plan.fromNode, attempt), exit(plan.fromNode, 'ok', attempt)];
        const child = buildChild(lines, plan, { own });
        expect(child.slice(1, at)).toEqual(lines.slice(1, at));
        const overview = deriveRunOverview(outlineLog(child, cuts).map(({ head }) => head));
        expect(overview).toMatchObject({ ownSteps: 1, steps: entersOf(child).length, events: at + 2 });
        for (const again of enters.filter((offset) => offset < at)) {
          const planned = planRunFork(sourceOf(GRAPH, child, cuts), { at: again });
          const before = planRunFork(sourceOf(GRAPH, lines), { at: again });
          if (isRefusal(planned) || isRefusal(before)) continue;
          expect(planned.prefix.bytes).toBe(before.prefix.bytes);
          expect(planned.sourceEvent0Digest).toBe(before.sourceEvent0Digest);
        }
      }),
      { numRuns: 200 },
    );
  });
});

function withoutPlaces<T extends { boundary: unknown; prefix: unknown; acknowledged: unknown }>(plan: T) {
  const { boundary, prefix, acknowledged, ...rest } = plan;
  return rest;
}

function isAtWork(lines: readonly EncodedLine[], node: string, at: number): boolean {
  const ofNode = lines.slice(0, at).filter(({ event }) => event.node === node && event.type.startsWith('node.'));
  return ofNode.at(-1)?.event.type === 'node.enter';
}
