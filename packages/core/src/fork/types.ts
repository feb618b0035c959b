import type { OutstandingWrite, RunId, WorkspaceKind } from '../events/index.ts';
import type { BoundaryMark, ForkOrigin, SegmentDetail, SegmentHead } from '../log/index.ts';

export type { ForkOrigin };

/** A write a person is shown before a fork: evidence, not a judgement. */
export type WriteHazard = OutstandingWrite;

/** A source log as planning reads it. Details and lines are asked for only where the plan needs them. */
export interface ForkSource {
  readonly heads: readonly SegmentHead[];
  readDetail(segment: number): SegmentDetail;
  /** The JSON of one line of one segment. */
  readLine(segment: number, position: number, bytes: number): unknown;
}

export interface ForkRequest {
  /** The `session.end` to fork at; absent: the latest. */
  readonly at?: number;
  readonly title?: string;
}

/** What a fork will do; nothing in it has been done. */
export interface ForkPlan {
  readonly source: RunId;
  readonly boundary: BoundaryMark;
  /** The segment that holds the boundary: those before it are taken whole. */
  readonly segment: number;
  /** Lines and bytes of the source the child holds. */
  readonly prefix: { readonly events: number; readonly bytes: number; readonly segmentBytes: number };
  readonly outstanding: readonly WriteHazard[];
  readonly cwd: string;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  readonly title?: string;
}

/** Why a fork cannot be planned. */
export type ForkError = 'not_a_session' | 'no_completed_turn' | 'not_a_boundary' | 'log_newer';
