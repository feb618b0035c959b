/** Cuts long texts where a page can bear them. */

const SHOWN_CHARACTERS = 8_000;
const SHOWN_LINES = 120;
const PIECE_CHARACTERS = 20_000;

export interface Bound {
  readonly shown: string;
  /** Characters that are not shown. */
  readonly left: number;
}

/** The beginning of a text: at most so many lines and characters, no character cut in two. */
export function boundText(text: string, { lines = SHOWN_LINES, characters = SHOWN_CHARACTERS } = {}): Bound {
  let end = Math.min(text.length, characters);
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1 || at >= end) break;
    if (line === lines - 1) end = at;
  }
  end = wholeCharacter(text, end);
  return { shown: text.slice(0, end), left: text.length - end };
}

/** The pieces of a text, each small enough to be laid out on its own: they end with lines where those are short enough. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const limit = start + PIECE_CHARACTERS;
    if (limit >= text.length) {
      pieces.push(text.slice(start));
      break;
    }
    const newline = text.lastIndexOf('\n', limit);
    const isLine = newline > start;
    const end = isLine ? newline : wholeCharacter(text, limit);
    pieces.push(text.slice(start, end));
    start = isLine ? end + 1 : end;
  }
  return pieces;
}

/** The same place, or the one before when it is within a surrogate pair. */
function wholeCharacter(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end < text.length && unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}
