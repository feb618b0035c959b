/** What everything the daemon does has to hand. */
import type { RunServices } from '@ramet/runtime/graph';
import type { Supervisor } from './work/supervisor.ts';

export interface Parts {
  readonly services: RunServices;
  readonly supervisor: Supervisor;
  /** Where relative paths of scripts start, for requests that name no folder. */
  readonly cwd: string;
}
