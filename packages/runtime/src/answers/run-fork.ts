/** Forks of graph runs in answers: what a child holds, what comes back, what it would make again. */
import { type Refusal, type RunForkPlan, type RunId, type RunOrigin, refuse } from '@ramet/core';
import type { RunForkResult } from '../fork/index.ts';
import { type Bytes, bytesOfRun } from '../inspect/index.ts';
import type { FileStore } from '../store/index.ts';
import type { DescribedDrive } from './drive.ts';

/** What a plan says; absent where the same key made the child before, whose own log says it then. */
export interface DescribedRunForkPlan extends Pick<RunForkPlan, 'writes' | 'exempt' | 'idempotent' | 'workspaces'> {
  readonly boundary: Pick<RunForkPlan['boundary'], 'offset' | 'node' | 'attempt'>;
  readonly prefix: Pick<RunForkPlan['prefix'], 'events' | 'bytes'>;
}

/** A fork of a graph run, made or planned. */
export interface DescribedRunFork extends Partial<DescribedRunForkPlan> {
  /** Null of a dry run. */
  readonly run: RunId | null;
  readonly dryRun?: true;
  /** Of a dry run: whether every write it makes again is acknowledged. */
  readonly wouldProceed?: boolean;
  readonly forkedFrom: RunOrigin;
  readonly bytes: Bytes;
  readonly missingPayloads?: readonly string[];
  /** The same key made it before. */
  readonly repeated?: true;
}

/** A child that nothing goes on with yet. */
export interface IdleRunFork extends DescribedRunFork {
  readonly status: 'idle';
}

/** A child that was gone on with: also what driving it came to. */
export type DrivenRunFork = Omit<DescribedRunFork, 'run'> & DescribedDrive;

/** Describes a fork, made or planned. */
export function describeRunFork(store: FileStore, made: RunForkResult): DescribedRunFork {
  const { run, forkedFrom, plan, wouldProceed, bytes, missingPayloads, repeated } = made;
  return {
    run,
    ...(run === null ? { dryRun: true, wouldProceed } : {}),
    forkedFrom,
    ...(plan === null ? {} : describePlan(plan)),
    // Of one that is not there yet only the lines of its log are known.
    bytes: run === null ? bytes : bytesOfRun(store.pathsOf(run)),
    ...(missingPayloads.length === 0 ? {} : { missingPayloads }),
    ...(repeated ? { repeated } : {}),
  };
}

/** Describes a child that is not gone on with. */
export function describeIdle(made: DescribedRunFork): IdleRunFork {
  return { ...made, status: 'idle' };
}

/** Says that a child did not start: it is there, and whoever asked for it has to know. */
export function refuseStart({ code, message, data }: Refusal, id: RunId, made: DescribedRunFork): Refusal {
  const said = `run ${id} was made, and did not start: ${message}; go on with \`ramet resume ${id}\``;
  return refuse(code, said, { ...data, ...describeIdle(made) });
}

function describePlan(plan: RunForkPlan): DescribedRunForkPlan {
  const { boundary, prefix, writes, exempt, idempotent, workspaces } = plan;
  const { offset, node, attempt } = boundary;
  const { events, bytes } = prefix;
  return { boundary: { offset, node, attempt }, prefix: { events, bytes }, writes, exempt, idempotent, workspaces };
}
