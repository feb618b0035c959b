import { padText, widthOf, wrapLine } from '@ramet/core/text';
import type { Output } from '../context.ts';

/** Columns of a text that is read by people and goes to no terminal. */
const PIPE_COLUMNS = 80;

/** Columns to wrap a text at. */
export function widthFor(output: Pick<Output, 'columns'>): number {
  return output.columns ?? PIPE_COLUMNS;
}

/**
 * Renders labels with what is said of each, wrapped beside them. Both must be escaped already; `lead` is put before the
 * first line of each.
 */
export function renderFacts(
  output: Pick<Output, 'columns'>,
  facts: readonly { readonly label: string; readonly text: string; readonly lead?: string }[],
): readonly string[] {
  const column = Math.max(0, ...facts.map(({ label }) => widthOf(label))) + 2;
  return facts.flatMap(({ label, text, lead = '' }) => {
    const indent = column + (lead === '' ? 0 : 4);
    const [first = '', ...rest] = wrapLine(text, Math.max(20, widthFor(output) - indent));
    const head = `${lead === '' ? '' : `${lead}  `}${padText(label, column)}${first}`;
    return [head, ...rest.map((line) => ' '.repeat(indent) + line)];
  });
}
