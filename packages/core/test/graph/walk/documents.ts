/** Random documents: graphs without cycles, with branches, gates, and maps and folds in each other. */
import type { GraphBody, GraphEdge, GraphNode } from '@ramet/core';
import fc from 'fast-check';

/** One node as it is drawn; `from` names nodes before it, by how far back they are. */
interface Draw {
  readonly kind: 'tool' | 'agent' | 'gate' | 'branch' | 'map' | 'fold';
  readonly from: readonly { readonly back: number; readonly way: 'a' | 'b' }[];
  readonly number: number;
  readonly concurrency: number;
  readonly body: readonly Draw[];
}

const from = fc.array(fc.record({ back: fc.integer({ min: 1, max: 4 }), way: fc.constantFrom('a', 'b') }), {
  maxLength: 3,
});

function drawOf(kinds: readonly Draw['kind'][], body: fc.Arbitrary<readonly Draw[]>): fc.Arbitrary<Draw> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    from,
    number: fc.nat(5),
    concurrency: fc.integer({ min: 1, max: 3 }),
    body,
  }) as fc.Arbitrary<Draw>;
}

const LEAVES: readonly Draw['kind'][] = ['tool', 'agent', 'gate', 'branch'];
const ANY: readonly Draw['kind'][] = [...LEAVES, 'tool', 'map', 'fold'];
const leaves = fc.array(drawOf(LEAVES, fc.constant([])), { minLength: 1, maxLength: 3 });
const inner = fc.array(drawOf(ANY, leaves), { minLength: 1, maxLength: 3 });
const outer = fc.array(drawOf(ANY, inner), { minLength: 1, maxLength: 6 });

/** Documents whose run input is `{n}`, an integer. */
export const documents: fc.Arbitrary<GraphBody> = outer.map((draws) => {
  let count = 0;
  const name = (): string => {
    count += 1;
    return `n${count}`;
  };
  return buildBody(draws, name);
});

function buildBody(draws: readonly Draw[], name: () => string): GraphBody {
  const ids = draws.map(name);
  const edges = draws.flatMap((draw, at) => edgesInto({ draw, at, draws, ids }));
  const nodes = draws.map((draw, at) => {
    const id = ids[at] ?? '';
    const taken = new Set(edges.filter((edge) => edge.from === id).map(({ on }) => on));
    return [id, buildNode(draw, taken, name)] as const;
  });
  return { nodes: Object.fromEntries(nodes), edges };
}

function edgesInto(place: {
  readonly draw: Draw;
  readonly at: number;
  readonly draws: readonly Draw[];
  readonly ids: readonly string[];
}): readonly GraphEdge[] {
  const { draw, at, draws, ids } = place;
  const edges = new Map<string, GraphEdge>();
  for (const { back, way } of draw.from) {
    const source = draws[at - back];
    if (source === undefined) continue;
    const on = source.kind === 'branch' ? { on: way } : {};
    edges.set(`${back} ${source.kind === 'branch' ? way : ''}`, {
      from: ids[at - back] ?? '',
      to: ids[at] ?? '',
      ...on,
    });
  }
  return [...edges.values()];
}

function buildNode(draw: Draw, taken: ReadonlySet<string | undefined>, name: () => string): GraphNode {
  const { kind, number, concurrency } = draw;
  if (kind === 'gate') return { kind, question: `number ${number}?` };
  if (kind === 'branch') {
    const ends = ['a', 'b'].filter((way) => !taken.has(way));
    const cases = [{ when: `(input.n + ${number}) % 2 == 0`, take: 'a' }];
    return { kind, cases, otherwise: 'b', ...(ends.length > 0 ? { ends } : {}) };
  }
  if (kind === 'map') {
    const over = `[${Array.from({ length: number }, (_, index) => `input.n + ${index}`).join(', ')}]`;
    return { kind, over, concurrency, body: buildBody(draw.body, name) };
  }
  if (kind === 'fold') {
    const until = `(pass + input.n) % ${concurrency + 1} == 0`;
    return {
      kind,
      until,
      maxPasses: number + 1,
      onBound: 'finish',
      join: number % 2 === 0 ? ('list' as const) : ('last' as const),
      body: buildBody(draw.body, name),
    };
  }
  if (kind === 'agent') return { kind, retry: { attempts: 3, delayMs: number * 100, factor: 2 } };
  return { kind: 'tool', tool: 'echo' };
}
