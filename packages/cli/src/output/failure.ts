import { escapeLine, truncateText } from '@ramet/core/text';

/** Longest reason that is shown of a call that failed. */
const REASON_LENGTH = 120;

/** A call that did not succeed, with the first line of why; a long text lies beside the log and is not shown. */
export function renderFailure(tool: string, outcome: string, output: object): string {
  const said = 'value' in output && typeof output.value === 'string' ? output.value.trim() : '';
  const [line = ''] = said.split('\n', 1);
  const why = line === '' ? '' : `: ${truncateText(line.trim(), REASON_LENGTH)}`;
  return escapeLine(`${tool}: ${outcome}${why}`);
}
