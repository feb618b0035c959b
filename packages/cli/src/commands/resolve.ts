import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { renderJson, renderWords } from '@ramet/core/text';
import { findRun, isGraphRun, shortenIds } from '@ramet/runtime/inspect';
import { type ResolutionRequest, resolveCall } from '@ramet/runtime/runs';
import type { ResolveFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';

/** Records a person's word on a call whose outcome is unknown. */
export const resolve: Action<ResolveFlags, [string]> = async (context, flags, [text]) => {
  const word = wordOf(flags);
  if (isRefusal(word)) return word;
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const resolved = await resolveCall(store, { id, offset: flags.offset, ...word });
  if (isRefusal(resolved)) return resolved;
  const short = shortenIds(store)(id);
  const command = isGraphRun(store, id) ? ['ramet', 'resume', short] : ['ramet', 'run', '--session', short];
  const goOn = renderWords([...command, ...resolved.flags]);
  return { json: resolved, notes: `go on: ${goOn}\n` };
};

function wordOf(flags: ResolveFlags): Pick<ResolutionRequest, 'resolution' | 'output'> | Refusal {
  const { happened, didNotHappen, retry, result } = flags;
  if ([happened, didNotHappen, retry].filter(Boolean).length !== 1) {
    return refuse('bad_usage', 'say one of --happened --result <json>, --did-not-happen, --retry');
  }
  if (!happened) {
    if (result !== undefined) return refuse('bad_usage', '--result goes with --happened');
    return { resolution: retry ? 'retry' : 'did_not_happen' };
  }
  if (result === undefined) return refuse('bad_usage', '--happened needs --result <json>: what the call answered');
  try {
    return { resolution: 'happened', output: { type: 'json', value: JSON.parse(result) } };
  } catch {
    return refuse('bad_usage', `--result is not JSON: ${renderJson(result.slice(0, 60))}`);
  }
}
