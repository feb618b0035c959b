import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { type NewRun, startRun } from '@ramet/runtime/graph';
import type { CliContext } from '../context.ts';
import type { GraphRunFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { answerDriven } from '../output/run-result.ts';
import { openStore } from '../store.ts';
import { drive } from './drive.ts';
import { requireGraphFile } from './graph-file.ts';
import { type ReadJson, readJson } from './json-input.ts';

/** Starts a run of a document. */
export const graphRun: Action<GraphRunFlags, [string, string?]> = async (context, flags, [file, dash]) => {
  const input = await readInput(context, flags, dash);
  if (isRefusal(input)) return input;
  const document = await requireGraphFile(context, file);
  if (isRefusal(document)) return document;
  const store = openStore(context);
  const { workspace, allowDirty, title, label = [] } = flags;
  const run: NewRun = {
    document,
    input: input.value,
    cwd: context.cwd,
    allowDirty: allowDirty === true,
    ...(workspace === undefined ? {} : { workspace }),
    ...(title === undefined ? {} : { title }),
    ...(label.length === 0 ? {} : { labels: Object.fromEntries(label.map(({ key, value }) => [key, value])) }),
  };
  const driven = await drive(context, { store, flags, isNew: true }, (services, settings) =>
    startRun(services, { run, settings }),
  );
  return isRefusal(driven) ? driven : answerDriven(context, store, { ...driven, flags });
};

/** Absent: null. */
async function readInput(
  context: CliContext,
  { input }: GraphRunFlags,
  dash: string | undefined,
): Promise<ReadJson | Refusal> {
  if (dash !== undefined && dash !== '-') {
    return refuse('bad_usage', `'${dash}' is one argument too many; the input goes with --input, or - reads it`);
  }
  if (dash !== undefined && input !== undefined) return refuse('bad_usage', '--input and - exclude each other');
  const text = dash ?? input;
  return text === undefined ? { value: null } : readJson(context, '--input', text);
}
