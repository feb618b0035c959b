/** Ramet and its peers, figure by figure, with how many times Ramet's each is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area.ts';
import type { PeerReport } from '../peers/report.ts';
import type { OwnReport } from './own-report.ts';
import { type MissingPeer, runPeers } from './peers.ts';
import { STEPS } from './source.ts';
import { runWorker } from './workers.ts';

export interface SideBySide {
  readonly own: OwnReport;
  readonly peers: readonly (PeerReport | MissingPeer)[];
}

/** Measures all of them, one after the other, on the same disk. */
export function compareWithPeers(area: Area, quick: boolean): SideBySide {
  const asked = { steps: STEPS, rounds: quick ? 1 : 5, forks: quick ? 1 : 5, outputBytes: 2000 };
  const folder = join(area.folder, 'own');
  mkdirSync(folder);
  const own = runWorker<OwnReport>('own', [JSON.stringify({ ...asked, folder })]);
  return { own, peers: runPeers(area, asked) };
}

/** One block for each figure: Ramet's first, then the peers' and the ratios. */
export function renderSideBySide({ own, peers }: SideBySide): string {
  const measured: readonly PeerReport[] = [own, ...peers.filter((peer) => 'chain' in peer)];
  const missing = peers.filter((peer) => 'missing' in peer);
  const blocks = [
    renderFigures(`a no-op step of ${STEPS}, the least of all runs`, 'ms', measured.flatMap(chainFigures)),
    ...FORK_FIGURES.map(({ title, unit, of }) => renderFigures(title, unit, measured.map(of))),
    renderBlock('lines in the sink of a second step that writes, after a fork at that step', [
      ...measured.map((report) => describeEffect(report, own)),
    ]),
    ...missing.map(({ peer, missing: why }) => `${peer}: not measured, ${why}`),
    renderBlock(
      'versions, and one write of 1 kB with its sync before and after the chains',
      measured.map(describeSetting),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

interface Figure {
  readonly value: number;
  readonly label: string;
}

type Unit = 'ms' | 'bytes';

const FORK_FIGURES: readonly {
  readonly title: string;
  readonly unit: Unit;
  readonly of: (report: PeerReport) => Figure;
}[] = [
  {
    title: 'from a fork in the middle to its first step, the least of all forks',
    unit: 'ms',
    of: ({ peer, fork }) => ({ value: fork.firstStepMs, label: `${peer}: ${fork.how}` }),
  },
  {
    title: 'growth of what is stored by a fork, up to that step',
    unit: 'bytes',
    of: ({ peer, fork }) => ({ value: fork.bytesAtFirstStep, label: peer }),
  },
  {
    title: 'growth of what is stored, up to the end of the child',
    unit: 'bytes',
    of: ({ peer, fork }) => ({ value: fork.bytesAtEnd, label: peer }),
  },
  {
    title: 'what the source had stored',
    unit: 'bytes',
    of: ({ peer, fork }) => ({ value: fork.bytesOfSource, label: peer }),
  },
  {
    title: 'listing where one may fork',
    unit: 'ms',
    of: ({ peer, fork }) => ({ value: fork.listMs, label: peer }),
  },
];

function chainFigures({ peer, chain }: PeerReport): readonly Figure[] {
  return chain.map(({ how, msPerStep }) => ({ value: msPerStep, label: `${peer}: ${how}` }));
}

function renderFigures(title: string, unit: Unit, figures: readonly Figure[]): string {
  const own = figures[0]?.value ?? Number.NaN;
  const lines = figures.map(({ value, label }) => {
    const ratio = `${(value / own).toFixed(2)} ×`;
    return `${renderValue(value, unit).padStart(12)}${ratio.padStart(12)}  ${label}`;
  });
  return renderBlock(title, lines);
}

function renderValue(value: number, unit: Unit): string {
  if (unit === 'bytes') return `${(value / 1_000_000).toFixed(3)} MB`;
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

function describeEffect(report: PeerReport, own: OwnReport): string {
  const { writes, said } = report.sideEffect;
  const after = report === own ? `; ${own.writesOnceAcknowledged} once a person had acknowledged it` : '';
  return `${String(writes).padStart(12)}  ${report.peer}: ${said ?? 'nothing was said'}${after}`;
}

function describeSetting({ peer, versions, syncMs: [before, after] }: PeerReport): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${peer}: ${named.join(', ')}; ${before.toFixed(2)} and ${after.toFixed(2)} ms`;
}

function renderBlock(title: string, lines: readonly string[]): string {
  return [title, ...lines].join('\n  ');
}
