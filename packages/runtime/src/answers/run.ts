/** Graph runs in answers: as a list has them, and one with its walk. */
import type { Digest } from '@ramet/core';
import type { GraphRunListing, GraphRunView, RunWaits } from '../inspect/runs/index.ts';
import type { DescribedShare } from './session.ts';
import { describeUsage } from './usage.ts';

/** What a run is made of that answers arrange otherwise. */
type Arranged = 'own' | 'inherited' | 'graph' | 'graphName' | 'waits' | 'steps' | 'ownSteps';

/** How they arrange it; what it waits for stands beside the rest. */
interface Arrangement extends RunWaits {
  readonly graph: { readonly hash: Digest; readonly name?: string };
  /** Nodes entered. */
  readonly steps: { readonly own: number; readonly all: number };
  readonly own: DescribedShare;
  readonly inherited: DescribedShare;
}

/** What a list answers of a graph run. */
export interface DescribedRun extends Omit<GraphRunListing, Arranged>, Arrangement {}

/** A graph run and its walk. */
export interface DescribedRunView extends Omit<GraphRunView, Arranged>, Arrangement {}

/** Describes a row of a list. */
export function describeRun(run: GraphRunListing): DescribedRun {
  return arrange(run);
}

/** Describes one run that is shown. */
export function describeRunView(view: GraphRunView): DescribedRunView {
  return arrange(view);
}

function arrange<T extends Pick<GraphRunListing, Arranged>>(run: T): Omit<T, Arranged> & Arrangement {
  const { own, inherited, graph: hash, graphName: name, waits, steps, ownSteps, ...rest } = run;
  return {
    ...rest,
    graph: { hash, ...(name === undefined ? {} : { name }) },
    steps: { own: ownSteps, all: steps },
    ...waits,
    own: { usage: describeUsage(own.usage) },
    inherited: { usage: describeUsage(inherited.usage) },
  };
}
