import type { Digest, NodePath, RunId, WorkspaceKind } from '../../events/index.ts';
import { joinUsage, NO_USAGE, type UsageSum } from '../../usage/index.ts';
import type { ForkOrigin, GraphStartMark, RunDescent, RunEndMark, SegmentHead } from '../outline/index.ts';
import { findLast, sum } from './heads.ts';

/** What a list shows of a graph run; derived from segment heads alone. */
export interface GraphRunOverview {
  readonly kind: 'graph';
  readonly id: RunId;
  readonly forkedFrom?: ForkOrigin & { readonly fromNode: NodePath };
  /** SHA-256 of the document it walks. */
  readonly graph: Digest;
  /** Empty when none was given. */
  readonly title: string;
  readonly titleFrom: 'own' | 'inherited' | 'none';
  readonly cwd: string;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  readonly createdAt: string;
  readonly lastTime: string;
  readonly events: number;
  readonly bytes: number;
  readonly digest: Digest;
  /** How it ended itself; absent while it goes on. A failed run may go on again. */
  readonly end?: RunEndMark;
  /** Gates that opened and have no answer, while it goes on. One in an item that failed counts until the run ends. */
  readonly openGates: number;
  /** Nodes entered, inherited ones included, and those this run entered itself. */
  readonly steps: number;
  readonly ownSteps: number;
  readonly own: UsageSum;
  readonly inherited: UsageSum;
  readonly schema: number;
  readonly malformed: number;
}

/** Derives an overview from a log's heads, in order; null when the log does not start a graph run. */
export function deriveRunOverview(heads: readonly SegmentHead[]): GraphRunOverview | null {
  const last = heads.at(-1);
  const start = heads[0]?.graph;
  if (last === undefined || start === undefined) return null;
  const { id, forkedFrom, graph, cwd, project, workspace, time: createdAt } = start;
  const end = endOf(heads, start);
  const { steps, ownSteps, own, inherited } = splitAtFork(heads, forkedFrom?.offset);
  return {
    kind: 'graph',
    id,
    ...(forkedFrom === undefined ? {} : { forkedFrom: originOf(forkedFrom) }),
    graph,
    ...titleOf(heads, start),
    cwd,
    project,
    workspace,
    createdAt,
    lastTime: findLast(heads, (head) => (head.count > 0 ? head.lastTime : undefined)) ?? createdAt,
    events: last.first + last.count,
    bytes: sum(heads, (head) => head.bytes),
    digest: last.digest,
    ...(end === undefined ? {} : { end }),
    openGates:
      end === undefined || end.kind === 'failed'
        ? Math.max(
            0,
            sum(heads, (head) => head.gates ?? 0),
          )
        : 0,
    steps,
    ownSteps,
    own,
    inherited,
    schema: Math.max(...heads.map((head) => head.schema)),
    malformed: sum(heads, (head) => head.malformed),
  };
}

function originOf({ id, offset, digest, fromNode }: RunDescent): NonNullable<GraphRunOverview['forkedFrom']> {
  return { id, offset, digest, fromNode };
}

/** The run's own end, unless it entered a node after it. */
function endOf(heads: readonly SegmentHead[], { forkedFrom }: GraphStartMark): RunEndMark | undefined {
  const end = findLast(heads, (head) => head.end);
  const entered = findLast(heads, ({ walk }) =>
    walk === undefined || walk.lastEnter < 0 ? undefined : walk.lastEnter,
  );
  const from = Math.max(entered ?? 0, forkedFrom?.offset ?? 0);
  return end !== undefined && end.offset > from ? end : undefined;
}

function titleOf(
  heads: readonly SegmentHead[],
  { title, forkedFrom }: GraphStartMark,
): Pick<GraphRunOverview, 'title' | 'titleFrom'> {
  const given = findLast(heads, (head) => head.title);
  const isOwn = given !== undefined && given.offset > (forkedFrom?.offset ?? 0);
  const own = isOwn ? given.title : title;
  if (own !== undefined) return { title: own, titleFrom: 'own' };
  return given === undefined ? { title: '', titleFrom: 'none' } : { title: given.title, titleFrom: 'inherited' };
}

/** What lies before a run's own first event, and what after. The log says where that is: `through` is the last inherited. */
function splitAtFork(
  heads: readonly SegmentHead[],
  through = -1,
): Pick<GraphRunOverview, 'steps' | 'ownSteps' | 'own' | 'inherited'> {
  let own = NO_USAGE;
  let inherited = NO_USAGE;
  let steps = 0;
  let inheritedSteps = 0;
  for (const { first, count, usage, ownUsage, ownStart, walk } of heads) {
    const enters = walk?.enters ?? 0;
    steps += enters;
    if (first > through) own = joinUsage(own, usage);
    else if (ownStart?.offset === through + 1) {
      inherited = joinUsage(inherited, ownStart.usageBefore);
      own = joinUsage(own, ownUsage);
      inheritedSteps += ownStart.entersBefore;
    } else if (first + count - 1 <= through) {
      inherited = joinUsage(inherited, usage);
      inheritedSteps += enters;
    }
  }
  return { steps, ownSteps: steps - inheritedSteps, own, inherited };
}
