/** All of graph runs that is held against a floor. */
import type { Area } from '../area.ts';
import type { Row } from '../measure.ts';
import { measureChain } from './chain.ts';
import { measureRunForks } from './fork.ts';
import { measurePlans } from './plan.ts';
import { measureWide } from './wide.ts';

/** Steps, wide maps and long folds, plans, forks. */
export async function measureGraphs(area: Area, quick: boolean): Promise<readonly Row[]> {
  return [
    ...(await measureChain(area, quick ? 100 : 500)),
    ...measureWide(area, quick ? 1000 : 10_000, quick ? 100 : 1000),
    ...(await measurePlans(area, quick ? 10_000 : 100_000)),
    ...(await measureRunForks(area, quick ? 10 : 100)),
  ];
}
