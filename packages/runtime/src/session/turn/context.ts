/**
 * What the steps of one turn share. The log is the truth: `state` is folded from what was appended, and nothing about
 * the turn is remembered anywhere else.
 */
import type { EventDraft, LoggedEvent, SessionFold, SessionState } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import type { Model } from '../../model/index.ts';
import type { OwnedLog } from '../../store/index.ts';
import type { Tool, ToolContext } from '../../tools/types.ts';
import type { PermissionRule, SessionServices, TurnSettings } from '../types.ts';
import type { Captor } from '../workspace/capture.ts';
import type { CallPolicy } from './calls/policy.ts';

export interface TurnContext {
  readonly services: SessionServices;
  readonly settings: TurnSettings;
  readonly configuration: Configuration;
  /** Of files, of this command and of earlier ones. */
  readonly rules: readonly PermissionRule[];
  readonly log: OwnedLog;
  readonly fold: SessionFold;
  readonly model: Model;
  readonly system: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly toolContext: ToolContext;
  readonly captor: Captor;
  /** Of an agent in a graph run: what holds for its calls beyond what holds in a session. */
  readonly policy?: CallPolicy;
  /** The person's Ctrl-C or the turn's time limit. */
  readonly signal: AbortSignal;
  readonly timedOut: () => boolean;
}

/** Appends events and folds them; `durable` waits until they survive a crash. */
export async function record(
  context: Pick<TurnContext, 'log' | 'fold' | 'settings'>,
  drafts: readonly EventDraft[],
  options: { readonly durable: boolean } = { durable: false },
): Promise<readonly LoggedEvent[]> {
  const events = await context.log.append(drafts, options);
  for (const event of events) {
    context.fold.add(event);
    context.settings.observer.event?.(event);
  }
  return events;
}

/** The open turn; a step is only taken while there is one. */
export function openTurnOf(state: SessionState): NonNullable<SessionState['open']> {
  if (state.open === null) throw new Error('bug: a step was taken outside a turn');
  return state.open;
}
