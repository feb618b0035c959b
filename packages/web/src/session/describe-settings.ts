import { renderCount } from '@ramet/core/text';
import type { TurnSettings } from './draft.ts';

/** Settings of the next turn in a few words. */
export function describeSettings(
  { model, limits, rules, sandbox, allowNet }: TurnSettings,
  last: string | undefined,
): string {
  const parts = [
    model ?? last ?? 'default model',
    rules !== undefined && rules.length > 0 ? renderCount(rules.length, 'rule') : '',
    limits !== undefined && Object.keys(limits).length > 0 ? 'limits' : '',
    sandbox === 'none' ? 'no sandbox' : '',
    allowNet !== undefined && allowNet.length > 0 ? 'network' : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
