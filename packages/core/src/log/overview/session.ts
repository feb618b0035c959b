import type { Digest, NodePath, RunId, WorkspaceKind } from '../../events/index.ts';
import { joinUsage, NO_USAGE, type UsageSum } from '../../usage/index.ts';
import type { BoundaryMark, ForkMark, ForkOrigin, SegmentHead, SessionStartMark, StartMark } from '../outline/index.ts';
import { findLast, sum } from './heads.ts';

/** What a list shows of a session; derived from segment heads alone. */
export interface SessionOverview {
  readonly id: RunId;
  /** With `fromNode`: it was made of the conversation of that node of a graph run. */
  readonly forkedFrom?: ForkOrigin & { readonly fromNode?: NodePath };
  /** Offset of the first event that it did not inherit. */
  readonly ownFrom: number;
  readonly title: string;
  /** Where the title comes from: set here, set in a parent, or the first prompt. */
  readonly titleFrom: 'own' | 'inherited' | 'prompt';
  readonly cwd: string;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  /** The model the last `session.config` names. */
  readonly model?: string;
  readonly createdAt: string;
  readonly lastTime: string;
  readonly events: number;
  readonly bytes: number;
  readonly digest: Digest;
  /** Messages in the log, inherited ones included, and those of this run alone. */
  readonly turns: number;
  readonly ownTurns: number;
  readonly lastBoundary?: BoundaryMark;
  /** A turn began and has not ended. */
  readonly turnOpen: boolean;
  readonly own: UsageSum;
  readonly inherited: UsageSum;
  readonly schema: number;
  readonly malformed: number;
}

/** Derives an overview from a log's heads, in order; null when the log does not start a session. */
export function deriveSessionOverview(heads: readonly SegmentHead[]): SessionOverview | null {
  const last = heads.at(-1);
  const start = heads[0]?.start;
  if (last === undefined || start === undefined) return null;
  const fork = findLast(heads, (head) => head.fork);
  const model = findLast(heads, (head) => head.model);
  const lastBoundary = findLast(heads, (head) => head.lastBoundary);
  const lastMessage = findLast(heads, (head) => head.lastMessage);
  return {
    id: fork?.id ?? start.id,
    ...descentOf(start, fork),
    ...titleOf(heads, start, fork),
    cwd: fork?.cwd ?? start.cwd,
    project: start.project,
    workspace: start.workspace,
    ...(model === undefined ? {} : { model }),
    createdAt: fork?.time ?? start.time,
    lastTime: findLast(heads, (head) => (head.count > 0 ? head.lastTime : undefined)) ?? start.time,
    events: last.first + last.count,
    bytes: sum(heads, (head) => head.bytes),
    digest: last.digest,
    turns: sum(heads, (head) => head.messages),
    ownTurns: sumOwnMessages(heads),
    ...(lastBoundary === undefined ? {} : { lastBoundary }),
    turnOpen: (lastMessage?.offset ?? -1) > (lastBoundary?.offset ?? -1),
    ...splitUsage(heads),
    schema: Math.max(...heads.map((head) => head.schema)),
    malformed: sum(heads, (head) => head.malformed),
  };
}

function descentOf(
  { forkedFrom }: SessionStartMark,
  fork: ForkMark | undefined,
): Pick<SessionOverview, 'forkedFrom' | 'ownFrom'> {
  if (fork !== undefined) {
    return { forkedFrom: { id: fork.parent, offset: fork.at, digest: fork.digest }, ownFrom: fork.offset };
  }
  if (forkedFrom === undefined) return { ownFrom: 0 };
  const { id, offset, digest, fromNode, through } = forkedFrom;
  return { forkedFrom: { id, offset, digest, fromNode }, ownFrom: through + 1 };
}

/** Usage before and after what a log inherited last. */
function splitUsage(heads: readonly SegmentHead[]): { readonly own: UsageSum; readonly inherited: UsageSum } {
  let own = NO_USAGE;
  let inherited = NO_USAGE;
  for (const head of heads) {
    const before = head.fork?.usageBefore ?? head.taken?.usage;
    if (before === undefined) {
      own = joinUsage(own, head.usage);
      continue;
    }
    inherited = joinUsage(joinUsage(inherited, own), before);
    own = head.ownUsage;
  }
  return { own, inherited };
}

function titleOf(
  heads: readonly SegmentHead[],
  start: StartMark,
  fork: ForkMark | undefined,
): Pick<SessionOverview, 'title' | 'titleFrom'> {
  const given = findLast(heads, (head) => head.title);
  const from = fork === undefined || (given !== undefined && given.offset >= fork.offset) ? 'own' : 'inherited';
  const title = given?.title ?? start.title;
  if (title !== undefined) return { title, titleFrom: from };
  return { title: heads.find((head) => head.firstPrompt)?.firstPrompt ?? '', titleFrom: 'prompt' };
}

function sumOwnMessages(heads: readonly SegmentHead[]): number {
  const isWhole = ({ fork, taken }: SegmentHead): boolean => fork === undefined && taken === undefined;
  return heads.reduce((total, head) => (isWhole(head) ? total + head.messages : head.ownMessages), 0);
}
