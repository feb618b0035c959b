/** Forks of graph runs: how long, how many new bytes and files, and how long until the child's first step runs. */
import { join } from 'node:path';
import { type Area, openStore } from '../area.ts';
import { copyLog, countOwnFiles } from '../copies.ts';
import { measurePair, type Row } from '../measure.ts';
import { type ForkFigure, forkOnce, makeSource, planFork, type Source, STEPS } from './source.ts';
import { runWorker } from './workers.ts';

const PLACES = { second: 's1', middle: `s${STEPS / 2}`, last: `s${STEPS - 1}` };

/** Forks a run of about this many megabytes at its second, middle and last node. */
export async function measureRunForks(area: Area, megabytes: number): Promise<readonly Row[]> {
  // Each text is in the log twice: as its call's result and as its node's output.
  const source = await makeSource(join(area.folder, 'run-fork'), (megabytes * 1_000_000) / STEPS / 2);
  const rows: Row[] = [];
  for (const [name, fromNode] of Object.entries(PLACES)) {
    const what = `fork a run of ${megabytes} MB at its ${name} node`;
    rows.push(await measureFork(area, source, { name: `${what}, in process`, fromNode, isNew: false }));
    rows.push(await measureFork(area, source, { name: `${what}, new process`, fromNode, isNew: true }));
  }
  const firstStep = 'from that fork at its middle node to its first step';
  rows.push(await measureFirstStep(source, { name: `${firstStep}, in process`, target: { ms: 20 }, isNew: false }));
  rows.push(await measureFirstStep(source, { name: `${firstStep}, new process`, isNew: true }));
  return rows;
}

interface Place {
  readonly name: string;
  readonly fromNode: string;
  /** In a process of its own. */
  readonly isNew: boolean;
}

async function measureFork(area: Area, source: Source, { name, fromNode, isNew }: Place): Promise<Row> {
  const store = openStore(source.home);
  const { log } = store.pathsOf(source.id);
  const { bytes } = (await planFork(source, fromNode)).prefix;
  let last: ForkFigure | null = null;
  return measurePair({
    name,
    floor: 'durably copying the bytes of the prefix',
    rounds: 7,
    subject: async () => {
      last = isNew ? forkElsewhere(source, fromNode, 'idle') : await forkOnce(source, fromNode);
      return last.forkMs;
    },
    base: (round) => copyLog(log, bytes, join(area.folder, `copy-${fromNode}-${isNew}-${round}`)),
    target: { ms: 10 },
    note: () => (last === null ? '' : `${last.own} new bytes, ${countOwnFiles(store, last.child)} new inodes`),
  });
}

interface FirstStep extends Pick<Row, 'name' | 'target'> {
  /** In a process of its own. */
  readonly isNew: boolean;
}

/** The whole way of a person's `fork` and `resume`: in a process that has done so before, or but for the start of a new one. */
function measureFirstStep(source: Source, { isNew, ...row }: FirstStep): Promise<Row> {
  const { id, home } = source;
  return measurePair({
    ...row,
    floor: 'reading and parsing the prefix',
    rounds: 7,
    subject: async () => {
      const made = isNew
        ? forkElsewhere(source, PLACES.middle, 'driven')
        : await forkOnce(source, PLACES.middle, () => {});
      return made.firstStepMs ?? Number.NaN;
    },
    base: async () => {
      const { offset } = await planFork(source, PLACES.middle);
      const started = performance.now();
      for (const event of openStore(home).read(id)?.readEvents({ to: offset }) ?? []) void event;
      return performance.now() - started;
    },
  });
}

function forkElsewhere(source: Source, fromNode: string, child: 'idle' | 'driven'): ForkFigure {
  return runWorker<ForkFigure>('fork', [JSON.stringify(source), fromNode, child]);
}
