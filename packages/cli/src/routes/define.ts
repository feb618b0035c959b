import type { CliContext } from '../context.ts';
import { type Action, type AnswerFlags, perform } from '../output/answer.ts';

/** Loads a command's work only when it is run, and prints what comes of it. */
export function lazily<F extends AnswerFlags, A extends readonly unknown[]>(
  load: () => Promise<Action<F, A>>,
): () => Promise<(this: CliContext, flags: F, ...args: A) => Promise<void>> {
  return async () =>
    async function (flags, ...args) {
      await perform(this, flags, async () => (await load())(this, flags, args));
    };
}

/** The flag every command has. */
export const JSON_FLAG = {
  kind: 'boolean',
  brief: 'Answer with one JSON document on stdout',
  optional: true,
  withNegated: false,
} as const;

/** A run's id as an argument. */
export const ID_ARGUMENT = { parse: String, placeholder: 'id', brief: 'A whole id, or the end of one' } as const;

/** A help text: what it does, then examples. `usage` replaces the generated usage line. */
export function describeCommand(
  brief: string,
  text: string,
  how: { readonly usage?: string; readonly examples: readonly string[] },
) {
  const shown = how.examples.map((example) => `  $ ${example}`).join('\n');
  const heading = how.examples.length === 1 ? 'Example' : 'Examples';
  return {
    brief,
    fullDescription: `${wrapText(text, 78)}\n\n${heading}:\n${shown}`,
    ...(how.usage === undefined ? {} : { customUsage: [how.usage] }),
  };
}

function wrapText(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
