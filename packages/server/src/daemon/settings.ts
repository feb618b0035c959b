/** What a request's settings mean to the engine. */
import type { RunObserver, RunSettings } from '@ramet/runtime/graph';
import type { TurnObserver, TurnSettings } from '@ramet/runtime/session';
import type { SettingsBody } from '../contract/bodies.ts';
import { given } from './given.ts';
import type { Asks } from './work/asks.ts';

/** Who is there while something is driven. */
interface Company<O> {
  readonly signal: AbortSignal;
  /** Absent: nobody can be asked. */
  readonly asks?: Asks;
  readonly observer: O;
}

/** The settings of a turn that is driven here. */
export function deriveTurnSettings(settings: SettingsBody, company: Company<TurnObserver>): TurnSettings {
  const { maxRequests, maxTokens, maxCost, maxTimeMs } = settings.limits ?? {};
  const { observer } = company;
  return {
    ...deriveCommon(settings, company),
    forgetRules: settings.forgetRules === true,
    limits: given({ maxRequests, maxTokens, maxCost, maxTimeMs }),
    observer,
  };
}

/** The settings of a graph run that is driven here. */
export function deriveRunSettings(settings: SettingsBody, company: Company<RunObserver>): RunSettings {
  const { maxSteps, maxTokens, maxCost, maxTimeMs } = settings.limits ?? {};
  const { observer } = company;
  return {
    ...deriveCommon(settings, company),
    limits: given({ maxSteps, maxTokens, maxCost, maxTimeMs }),
    observer,
  };
}

function deriveCommon(settings: SettingsBody, { signal, asks }: Omit<Company<unknown>, 'observer'>) {
  const { model, baseUrl, sandbox = 'auto', allowNet = [], rules = [], trustProject = false } = settings;
  const { onAsk = 'wait' } = settings;
  return {
    ...given({ model, baseUrl }),
    sandbox,
    allowNet,
    rules: rules.map(({ tool, match, do: what }) => ({ tool, ...given({ match }), do: what })),
    trustProject,
    signal,
    ...(onAsk === 'wait' ? { ...given({ ask: asks?.ask }), onAsk: 'park' as const } : { onAsk }),
  };
}
