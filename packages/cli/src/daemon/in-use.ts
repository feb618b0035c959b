/** Says of a run in use that it is the daemon's, and how it is stopped there: ending that process would stop everything. */
import { type Refusal, refuse } from '@ramet/core/codes';
import { parseRunId } from '@ramet/core/events';
import { readEndpoint, refuseAtWork } from '@ramet/server/endpoint';
import type { CliContext } from '../context.ts';
import { stateFolderIn } from '../store.ts';

/** The refusal in the daemon's words where the run is the daemon's; else as it is. */
export function explainInUse(context: CliContext, refusal: Refusal): Refusal {
  const { owner, removed } = refusal.data;
  const id = parseRunId(refusal.data.id);
  const pid = (owner as { readonly pid?: unknown } | null | undefined)?.pid;
  if (id === null || typeof pid !== 'number') return refusal;
  if (readEndpoint(stateFolderIn(context))?.pid !== pid) return refusal;
  const explained = refuseAtWork(id, refusal.data);
  if (!Array.isArray(removed)) return explained;
  const before = removed.length === 0 ? 'none' : removed.join(', ');
  return refuse(explained.code, `${explained.message}; removed before that: ${before}`, refusal.data);
}
