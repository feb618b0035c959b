import { widthOf } from './width.ts';

/**
 * Breaks a line at blanks so that no piece is wider than `width`; the later pieces begin with `hang`. A word wider than
 * that stays whole: a path or an address must be copied in one piece.
 */
export function wrapLine(line: string, width: number, hang = ''): readonly string[] {
  return wrapWords(line.split(' '), width, hang);
}

/** As `wrapLine`, for words of which some hold blanks that must not be broken. */
export function wrapWords(words: readonly string[], width: number, hang = ''): readonly string[] {
  const lines: string[] = [];
  let line: string | null = null;
  for (const word of words) {
    if (line === null) line = word;
    else if (widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = hang + word;
    }
  }
  return [...lines, line ?? ''];
}
