import type { Output } from '../context.ts';

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text where the output shows colours; `NO_COLOR` and pipes do not. */
export function paint(output: Pick<Output, 'hasColor'>, tone: Tone, text: string): string {
  if (!output.hasColor || text === '') return text;
  // Importing node:util loads all of it, several milliseconds of every command.
  return process.getBuiltinModule('node:util').styleText(tone, text, { validateStream: false });
}
