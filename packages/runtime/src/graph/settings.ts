import type { Refusal } from '@ramet/core';
import { refuseSettings } from '../session/settings.ts';
import type { Tool } from '../tools/index.ts';
import type { RunSettings } from './types.ts';

/** Refuses rules about tools that a run cannot have, and hosts that are none. */
export function refuseRunSettings({ rules, allowNet }: RunSettings, functions: readonly Tool[]): Refusal | null {
  const named = new Set(functions.map(({ name }) => name));
  return refuseSettings({ rules: rules.filter(({ tool }) => !named.has(tool)), allowNet });
}
