/**
 * LangGraph with its SQLite saver: the same workflows, forked as its documentation says to (time travel: `updateState` at
 * a checkpoint, then `invoke` from what that answers).
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import {
  type ChainFigure,
  type ForkFigure,
  type PeerRequest,
  printReport,
  readRequest,
  readVersions,
  type SideEffectFigure,
} from './report.ts';
import { countLines, type ForkSample, makeText, measureSync, sumUpForks } from './workload.ts';

type Step = (index: number) => string | Promise<string>;

/** The last step's answer, as in a plain chain. */
const LastAnswer = Annotation.Root({ answer: Annotation<string>() });
const Counted = Annotation.Root({ answer: Annotation<string>(), count: Annotation<number>() });
/** Every step's answer: what a later step, or a person who forks, may want to see. */
const AllAnswers = Annotation.Root({
  answer: Annotation<readonly string[]>({ reducer: (before, added) => [...before, ...added], default: () => [] }),
});

const request = readRequest();
const before = measureSync(request.folder);
const chain = [
  await measureChain(request, { how: 'a node for each step, nothing synced', shape: 'chain', durability: 'async' }),
  await measureChain(request, {
    how: 'a node for each step, each commit synced',
    shape: 'chain',
    durability: 'sync',
  }),
  await measureChain(request, { how: 'one node in a cycle, each commit synced', shape: 'cycle', durability: 'sync' }),
];
printReport({
  peer: 'LangGraph with SQLite',
  versions: readVersions(['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', 'better-sqlite3']),
  syncMs: [before, measureSync(request.folder)],
  chain,
  fork: await measureFork(request),
  sideEffect: await showSideEffect(request),
});

interface Mode {
  readonly how: string;
  readonly shape: 'chain' | 'cycle';
  /** `async`, the default, as the saver comes: SQLite in WAL mode does not sync a commit. `sync`: with `synchronous=FULL`. */
  readonly durability: 'async' | 'sync';
}

async function measureChain({ folder, steps, rounds }: PeerRequest, mode: Mode): Promise<ChainFigure> {
  const { how, shape, durability } = mode;
  const db = new Database(join(folder, `${shape}-${durability}.sqlite`));
  if (durability === 'sync') db.pragma('synchronous=FULL');
  const graph = shape === 'chain' ? compileChain(db, steps, () => 'ok') : compileCycle(db, steps);
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    await graph.invoke(
      shape === 'chain' ? { answer: '' } : { answer: '', count: 0 },
      configOf(`${shape}-${round}`, { steps, durability }),
    );
    if (round > 0) times.push(performance.now() - started);
  }
  db.close();
  return { how, msPerStep: Math.min(...times) / steps };
}

/** The same number of steps for its runtime to schedule among one node, not hundreds. */
function compileCycle(db: Database, steps: number) {
  return new StateGraph(Counted)
    .addNode('step', async ({ count }) => ({ answer: 'ok', count: Number(count) + 1 }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ count }) => (Number(count) < steps ? 'step' : END))
    .compile({ checkpointer: new SqliteSaver(db) });
}

function compileChain(db: Database, steps: number, step: Step) {
  const graph = new StateGraph(LastAnswer);
  for (let index = 0; index < steps; index += 1) {
    graph.addNode(nameOf(index), async () => ({ answer: await step(index) }));
  }
  connect(graph, steps);
  return graph.compile({ checkpointer: new SqliteSaver(db) });
}

function compileKeepingChain(db: Database, steps: number, step: Step) {
  const graph = new StateGraph(AllAnswers);
  for (let index = 0; index < steps; index += 1) {
    graph.addNode(nameOf(index), async () => ({ answer: [await step(index)] }));
  }
  connect(graph, steps);
  return graph.compile({ checkpointer: new SqliteSaver(db) });
}

function connect(graph: StateGraph, steps: number): void {
  graph.addEdge(START, nameOf(0));
  for (let index = 1; index < steps; index += 1) graph.addEdge(nameOf(index - 1), nameOf(index));
  graph.addEdge(nameOf(steps - 1), END);
}

function nameOf(index: number): string {
  return `s${index}`;
}

function configOf(thread: string, more: { readonly steps: number; readonly durability?: 'async' | 'sync' }) {
  const { steps, ...rest } = more;
  return { configurable: { thread_id: thread }, recursionLimit: steps + 10, ...rest };
}

async function measureFork({ folder, steps, forks, outputBytes }: PeerRequest): Promise<ForkFigure> {
  const db = new Database(join(folder, 'fork.sqlite'));
  const at = Math.floor(steps / 2);
  let reached = { at: 0, bytes: 0 };
  const graph = compileKeepingChain(db, steps, (index) => {
    if (index === at) reached = { at: performance.now(), bytes: sizeOf(db) };
    return makeText(index, outputBytes);
  });
  const empty = sizeOf(db);
  const config = configOf('source', { steps });
  await graph.invoke({ answer: [] }, config);
  const bytesOfSource = sizeOf(db) - empty;
  const listed = performance.now();
  const place = await findPlace(graph, { config, next: nameOf(at) });
  const listMs = performance.now() - listed;
  const samples: ForkSample[] = [];
  for (let fork = 0; fork < forks; fork += 1) {
    const before = sizeOf(db);
    const started = performance.now();
    const child = await graph.updateState(place, { answer: [] }, nameOf(at - 1));
    await graph.invoke(null, { ...child, recursionLimit: steps + 10 });
    samples.push({
      firstStepMs: reached.at - started,
      bytesAtFirstStep: reached.bytes - before,
      bytesAtEnd: sizeOf(db) - before,
    });
  }
  db.close();
  return {
    how: 'updateState at the checkpoint, then invoke',
    ...sumUpForks(samples),
    bytesOfSource,
    listMs,
  };
}

type Graph = ReturnType<StateGraph['compile']>;

/** The checkpoint before a node, found as a person must find it: by listing. */
async function findPlace(graph: Graph, wanted: { readonly config: object; readonly next: string }): Promise<object> {
  let found: object | null = null;
  for await (const state of graph.getStateHistory(wanted.config)) {
    if (state.next.length === 1 && state.next[0] === wanted.next) found ??= state.config;
  }
  if (found === null) throw new Error(`no checkpoint is before ${wanted.next}`);
  return found;
}

/** Committed pages, also those that are still in the write-ahead log. */
function sizeOf(db: Database): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}

async function showSideEffect({ folder }: PeerRequest): Promise<SideEffectFigure> {
  const sink = join(folder, 'sink-langgraph');
  const graph = compileChain(new Database(join(folder, 'effect.sqlite')), 3, (index) => {
    if (index === 1) appendFileSync(sink, 'sent\n');
    return 'ok';
  });
  const config = configOf('source', { steps: 3 });
  await graph.invoke({ answer: '' }, config);
  if (!existsSync(sink)) throw new Error('the source wrote nothing');
  const said = await forkAloud(graph, await findPlace(graph, { config, next: nameOf(1) }));
  return { writes: countLines(readFileSync(sink, 'utf8')), said };
}

async function forkAloud(graph: Graph, place: object): Promise<string | null> {
  try {
    const child = await graph.updateState(place, { answer: 'ok' }, nameOf(0));
    const state = await graph.invoke(null, child);
    return '__interrupt__' in state ? 'it was interrupted' : null;
  } catch (error) {
    return String(error);
  }
}
