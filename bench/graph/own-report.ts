/** What the peers are asked for, of Ramet: the same steps, the same texts, in a process as theirs. */
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { forkRun } from '@ramet/runtime/graph';
import { openStore } from '../area.ts';
import type { ForkFigure, PeerReport, PeerRequest, SideEffectFigure } from '../peers/report.ts';
import { countLines, type ForkSample, measureSync, sumUpForks } from '../peers/workload.ts';
import { makeChain } from './documents.ts';
import { makeServices, makeTool, resumeToEnd, runToEnd } from './engine.ts';
import { forkOnce, makeSource, STEPS } from './source.ts';

/** Of a side effect also what follows once a person has acknowledged it. */
export interface OwnReport extends PeerReport {
  readonly writesOnceAcknowledged: number;
}

/** Measures it all in this process. */
export async function makeOwnReport(request: PeerRequest): Promise<OwnReport> {
  const before = measureSync(request.folder);
  const figure = await measureChain(request);
  const after = measureSync(request.folder);
  const { shown, acknowledged } = await showSideEffect(request.folder);
  return {
    peer: 'Ramet',
    versions: { node: process.versions.node },
    syncMs: [before, after],
    chain: [figure],
    fork: await measureFork(request),
    sideEffect: shown,
    writesOnceAcknowledged: acknowledged,
  };
}

async function measureChain({ folder, steps, rounds }: PeerRequest): Promise<PeerReport['chain'][number]> {
  const services = makeServices(openStore(join(folder, 'chain')), [makeTool('step', () => 'ok')]);
  const document = makeChain(steps);
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    await runToEnd(services, document, null);
    if (round > 0) times.push(performance.now() - started);
  }
  return { how: 'a node for each step, each synced before its call', msPerStep: Math.min(...times) / steps };
}

async function measureFork({ folder, forks, outputBytes }: PeerRequest): Promise<ForkFigure> {
  const home = join(folder, 'fork');
  const source = await makeSource(home, outputBytes);
  const bytesOfSource = sizeOf(home);
  const fromNode = `s${STEPS / 2}`;
  const listed = performance.now();
  const outline = openStore(home).read(source.id)?.readOutline();
  for (const segment of outline?.heads.keys() ?? []) outline?.readDetail(segment);
  const listMs = performance.now() - listed;
  const samples: ForkSample[] = [];
  for (let fork = 0; fork < forks; fork += 1) {
    const before = sizeOf(home);
    let reached = before;
    const { firstStepMs } = await forkOnce(source, fromNode, () => {
      reached = sizeOf(home);
    });
    const bytesAtFirstStep = reached - before;
    samples.push({ firstStepMs: firstStepMs ?? Number.NaN, bytesAtFirstStep, bytesAtEnd: sizeOf(home) - before });
  }
  return { how: 'fork at the node, then resume', ...sumUpForks(samples), bytesOfSource, listMs };
}

/** Bytes of all files of a store, each once however many runs link it. */
function sizeOf(home: string): number {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => statSync(join(home, name))).filter((stats) => stats.isFile());
  return [...new Map(files.map(({ ino, size }) => [ino, size])).values()].reduce((sum, size) => sum + size, 0);
}

async function showSideEffect(
  folder: string,
): Promise<{ readonly shown: SideEffectFigure; readonly acknowledged: number }> {
  const sink = join(folder, 'sink-ramet');
  const send = makeTool(
    'step',
    (input) => {
      if (input === 1) appendFileSync(sink, 'sent\n');
      return 'ok';
    },
    'write',
  );
  const services = makeServices(openStore(join(folder, 'effect')), [send]);
  const { run } = await runToEnd(services, makeChain(3), null);
  const refused = await forkRun(services, run, { fromNode: 's1' });
  const shown = { writes: countSent(sink), said: isRefusal(refused) ? `refused: ${refused.code}` : null };
  const plan = await forkRun(services, run, { fromNode: 's1', dryRun: true });
  if (isRefusal(plan)) throw new Error(plan.message);
  const acknowledge = plan.plan?.writes.map(({ offset }) => offset) ?? [];
  const forked = await forkRun(services, run, { fromNode: 's1', acknowledge });
  if (isRefusal(forked) || forked.run === null) throw new Error('an acknowledged fork was not made');
  await resumeToEnd(services, forked.run);
  return { shown, acknowledged: countSent(sink) };
}

function countSent(sink: string): number {
  return countLines(readFileSync(sink, 'utf8'));
}
