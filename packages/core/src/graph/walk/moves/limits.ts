/** The budgets of a run (W15). They are looked at while a node is at work or to be entered: what is done is done. */
import type { ErrorInfo } from '../../../events/index.ts';
import type { GraphLimits } from '../../document/types.ts';
import type { Walk } from './walk.ts';

/** The budget that the run has reached, or would pass by entering so many nodes; null when there is room. */
export function findLimit(walk: Walk, entries: number): ErrorInfo | null {
  const { state } = walk;
  if (entries === 0 && walk.driven.length === 0) return null;
  const { own, steps } = state;
  const limitOf = (name: keyof GraphLimits): number =>
    Math.min(
      state.progress.graph.document.limits?.[name] ?? Number.POSITIVE_INFINITY,
      walk.options.limits?.[name] ?? Number.POSITIVE_INFINITY,
    );
  const cost = Math.max(0, ...Object.values(own.cost));
  const reached: readonly (readonly [keyof GraphLimits, boolean])[] = [
    ['maxSteps', steps + entries > limitOf('maxSteps')],
    ['maxTokens', own.inputTokens + own.outputTokens >= limitOf('maxTokens')],
    ['maxCost', cost >= limitOf('maxCost')],
    ['maxTimeMs', workedMs(walk) >= limitOf('maxTimeMs')],
  ];
  const [name] = reached.find(([, is]) => is) ?? [];
  return name === undefined ? null : { code: 'limit_reached', message: `the run has reached ${name} ${limitOf(name)}` };
}

/** With the time since the last event, when this process drives a node. */
function workedMs({ state, options, driven }: Walk): number {
  const sinceMs = options.nowMs - state.progress.lastTimeMs;
  return state.workedMs + (driven.length > 0 && sinceMs > 0 ? sinceMs : 0);
}
