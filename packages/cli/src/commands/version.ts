import { SCHEMA } from '@ramet/core/events';
import type { Action } from '../routes/define.ts';
import type { VersionFlags } from '../routes/machine.ts';
import { readVersion } from '../version.ts';

/** Says which version this is. */
export const version: Action<VersionFlags, []> = async () => ({
  json: { version: readVersion(), node: process.versions.node, schema: SCHEMA },
  text: `${readVersion()}\n`,
});
