import { styleText } from 'node:util';
import type { Output } from '../context.ts';

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text where the output shows colours; `NO_COLOR` and pipes do not. */
export function paint(output: Pick<Output, 'hasColor'>, tone: Tone, text: string): string {
  return output.hasColor && text !== '' ? styleText(tone, text, { validateStream: false }) : text;
}
