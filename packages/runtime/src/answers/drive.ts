/** How driving a graph run ended, in answers. */
import { type NodePath, type Refusal, type RunId, refuse } from '@ramet/core';
import type { RunResult } from '../graph/index.ts';
import { type DescribedUsage, describeUsage } from './usage.ts';

/** A run that was driven; `output` only of one that completed. */
export interface DescribedDrive extends Omit<RunResult, 'usage'> {
  readonly usage: DescribedUsage;
}

/** Describes how driving ended. */
export function describeDriven({ run, status, output, error, parked, usage }: RunResult): DescribedDrive {
  return {
    run,
    status,
    ...(status === 'completed' ? { output } : {}),
    ...(error === undefined ? {} : { error }),
    ...(parked === undefined ? {} : { parked }),
    usage: describeUsage(usage),
  };
}

/** A gate that was answered: its node, and the offset at which it opened. */
export interface DescribedGateAnswer {
  readonly run: RunId;
  readonly node: NodePath;
  readonly gate: number;
  /** Nothing went on with the run, as it was asked. */
  readonly started?: false;
}

/**
 * Says that an answer is recorded and the run did not go on: what was done is not undone by a refusal. A run that ended takes
 * no new answer, so there the recorded one was only said again.
 */
export function refuseGoingOn({ code, message, data }: Refusal, answered: DescribedGateAnswer): Refusal {
  const said =
    code === 'run_ended'
      ? `gate ${answered.node} was answered so already: ${message}`
      : `the answer to ${answered.node} is recorded, and the run did not go on: ${message}`;
  return refuse(code, said, { ...data, ...answered });
}
