import { SCHEMA } from '@ramet/core/events';
import type { VersionFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { readVersion } from '../version.ts';

/** Says which version this is. */
export const version: Action<VersionFlags, []> = async () => ({
  json: { version: readVersion(), node: process.versions.node, schema: SCHEMA },
  text: `${readVersion()}\n`,
});
