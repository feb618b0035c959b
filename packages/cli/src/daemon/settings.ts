/** The settings that flags name, as the API takes them. */
import { resolve } from 'node:path';
import type { RequestOf } from '@ramet/client';
import { settingsOf } from '../commands/settings.ts';
import type { CliContext, Interruption } from '../context.ts';
import type { WorkFlags } from '../flags.ts';

/** Settings of a request. */
export type SettingsBody = RequestOf<'resumeRun'>['body'];

interface Asking {
  readonly interruption: Interruption;
  /** Somebody here answers what is asked. */
  readonly isAsked: boolean;
  readonly limits: SettingsBody['limits'];
}

const SCRIPTED = 'scripted:';

/** Describes the settings of a turn or a run for the daemon. */
export function describeSettings(
  { cwd }: Pick<CliContext, 'cwd'>,
  flags: WorkFlags,
  { interruption, isAsked, limits }: Asking,
): SettingsBody {
  const { signal: _, model, rules, onAsk, limits: common, allowNet, ...settings } = settingsOf(flags, interruption);
  return {
    ...settings,
    // The daemon stands in another folder.
    ...(model === undefined ? {} : { model: model.startsWith(SCRIPTED) ? absolute(cwd, model) : model }),
    allowNet: [...allowNet],
    rules: rules.map(({ tool, match, do: what }) => ({ tool, do: what, ...(match === undefined ? {} : { match }) })),
    limits: { ...common, ...limits },
    onAsk: isAsked ? 'wait' : onAsk,
  };
}

function absolute(cwd: string, model: string): string {
  return `${SCRIPTED}${resolve(cwd, model.slice(SCRIPTED.length))}`;
}
