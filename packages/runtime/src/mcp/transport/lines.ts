/** Lines of a stream of bytes, each handed on once it is whole. */
export interface LineReader {
  push(chunk: Buffer): void;
}

export interface LineOptions {
  /** Longest line. */
  readonly limitBytes: number;
  /** A line without its newline. */
  readonly onLine: (line: Buffer) => void;
  /** A line grew over the limit; no line comes any more. */
  readonly onOverflow: () => void;
}

/** Starts reading lines. */
export function makeLineReader({ limitBytes, onLine, onOverflow }: LineOptions): LineReader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isOver = false;
  const hold = (piece: Buffer): boolean => {
    heldBytes += piece.length;
    if (heldBytes > limitBytes) {
      isOver = true;
      held = [];
      onOverflow();
      return false;
    }
    if (piece.length > 0) held.push(piece);
    return true;
  };
  const push = (chunk: Buffer): void => {
    let rest = chunk;
    for (let at = rest.indexOf(0x0a); at !== -1 && !isOver; at = rest.indexOf(0x0a)) {
      if (!hold(rest.subarray(0, at))) return;
      const line = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      held = [];
      heldBytes = 0;
      rest = rest.subarray(at + 1);
      onLine(line);
    }
    if (!isOver) hold(rest);
  };
  return { push };
}
