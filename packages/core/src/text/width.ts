/**
 * How many columns of a terminal a text takes, after the East Asian Width of Unicode (UAX #11): wide and full-width
 * characters and emoji two, combining marks none, everything else one.
 */

const ZERO = /^[\p{Mn}\p{Me}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** Ranges of wide characters besides emoji. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x20000, 0x3fffd],
];

/** Columns a text of one line takes; the text must be escaped already. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Cuts a text of one line to a width; what was cut off is shown by an ellipsis within that width. */
export function truncateText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return width <= 0 ? '' : `${kept}…`;
}

/** Fills a text up to a width with blanks. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (ZERO.test(character)) return 0;
  if (EMOJI.test(character)) return 2;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
