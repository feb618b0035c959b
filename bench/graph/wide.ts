/** Wide maps and long folds: that they finish, how long an item or pass takes, and that memory stays flat. */
import { join } from 'node:path';
import { type Area, openStore } from '../area.ts';
import type { Row } from '../measure.ts';
import { makeFold, makeMap } from './documents.ts';
import { makeServices, makeTool, runToEnd } from './engine.ts';
import { runWorker } from './workers.ts';

const CONCURRENCY = 16;

export type Shape = 'map' | 'fold';

/** What one run in a process of its own took. */
export interface WideFigure {
  readonly ms: number;
  readonly peakMb: number;
}

/** Each against a tenth of itself, in a process of its own: what an item costs must not grow, and memory hardly. */
export function measureWide(area: Area, items: number, passes: number): readonly Row[] {
  return [
    measureShape(area, {
      shape: 'map',
      count: items,
      name: `an item of a ${items}-item map, ${CONCURRENCY} at a time`,
    }),
    measureShape(area, { shape: 'fold', count: passes, name: `a pass of a ${passes}-pass fold` }),
  ];
}

interface Asked {
  readonly shape: Shape;
  readonly count: number;
  readonly name: string;
}

function measureShape(area: Area, { shape, count, name }: Asked): Row {
  const tenth = Math.ceil(count / 10);
  const measured = Array.from({ length: 3 }, () => ({
    less: runWorker<WideFigure>('wide', [area.folder, shape, String(tenth)]),
    all: runWorker<WideFigure>('wide', [area.folder, shape, String(count)]),
  }));
  const ms = Math.min(...measured.map(({ all }) => all.ms)) / count;
  const floorMs = Math.min(...measured.map(({ less }) => less.ms)) / tenth;
  const peakMb = Math.min(...measured.map(({ all }) => all.peakMb));
  const tenthMb = Math.min(...measured.map(({ less }) => less.peakMb));
  const note = `${((ms * count) / 1000).toFixed(1)} s in all, ${peakMb} MB of memory at most (a tenth: ${tenthMb} MB)`;
  const least = { leastMs: ms, leastFloorMs: floorMs };
  return { name, floor: `one of ${tenth}`, ms, floorMs, ...least, ratio: ms / floorMs, target: { ratio: 1.5 }, note };
}

/** Runs one, in this process. */
export async function runWide(folder: string, shape: Shape, count: number): Promise<WideFigure> {
  const store = openStore(join(folder, 'wide'));
  const services = makeServices(store, [makeTool('step', () => 'ok')]);
  const document = shape === 'map' ? makeMap(CONCURRENCY) : makeFold(count);
  const input = shape === 'map' ? Array.from({ length: count }, (_, index) => index) : null;
  const started = performance.now();
  await runToEnd(services, document, input);
  const ms = performance.now() - started;
  return { ms, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) };
}
