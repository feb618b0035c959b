/**
 * Usage over many logs, each reply once: relatives share the lines before their forks.
 *
 * 1. A run made the lines from its own `session.fork` (or event 0, or what it took of a graph run's node) to the next
 *    fork. A log holds such a span of each of its ancestors, and of itself.
 * 2. All spans of one maker are beginnings of what that run did, so the longest holds every line of the others.
 */
import type { RunId } from '../events/index.ts';
import type { ForkSource } from '../fork/index.ts';
import { joinUsage, NO_USAGE, subtractUsage, type UsageSum } from './sums.ts';

/** What one log holds of one run's doing. */
export interface UsageSpan {
  readonly maker: RunId;
  /** Offset of the span's last line. */
  readonly end: number;
  readonly usage: UsageSum;
}

export interface UsageTotals {
  readonly total: UsageSum;
  /** By the run that made it; of those that were removed, what their descendants still hold. */
  readonly byMaker: ReadonlyMap<RunId, UsageSum>;
}

/** The spans of a log, oldest first; empty when it does not start a session. */
export function usageSpansOf(source: Pick<ForkSource, 'heads' | 'readDetail'>): readonly UsageSpan[] {
  const start = source.heads[0]?.start;
  const last = source.heads.at(-1);
  if (start === undefined || last === undefined) return [];
  const spans: UsageSpan[] = [];
  let maker = start.id;
  let counted = takenUsageOf(source);
  let before = NO_USAGE;
  source.heads.forEach((head, segment) => {
    const forks = head.fork === undefined ? [] : source.readDetail(segment).forks;
    for (const fork of forks) {
      const until = joinUsage(before, fork.usageBefore);
      spans.push({ maker, end: fork.offset - 1, usage: between(until, counted) });
      maker = fork.id;
      counted = until;
    }
    before = joinUsage(before, head.usage);
  });
  return [...spans, { maker, end: last.first + last.count - 1, usage: between(before, counted) }];
}

/** What a log holds of the conversation that its session was made of: the graph run did that. */
export function takenUsageOf(source: Pick<ForkSource, 'heads' | 'readDetail'>): UsageSum {
  const [first] = source.heads;
  if (first?.start?.forkedFrom === undefined) return NO_USAGE;
  if (first.taken !== undefined) return first.taken.usage;
  // A fork at a turn that was taken: nothing before it is the session's own.
  return (first.fork === undefined ? undefined : source.readDetail(0).forks[0]?.usageBefore) ?? first.usage;
}

function between(until: UsageSum, counted: UsageSum): UsageSum {
  return until.replies === counted.replies ? NO_USAGE : subtractUsage(until, counted);
}

/** Sums the spans of many logs, each line once. */
export function totalUsage(spans: Iterable<UsageSpan>): UsageTotals {
  const longest = new Map<RunId, UsageSpan>();
  for (const span of spans) {
    const known = longest.get(span.maker);
    if (known === undefined || span.end > known.end) longest.set(span.maker, span);
  }
  const byMaker = new Map([...longest].map(([maker, { usage }]) => [maker, usage]));
  return { total: [...byMaker.values()].reduce(joinUsage, NO_USAGE), byMaker };
}
