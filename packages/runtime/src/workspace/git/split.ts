/** Splits the output of a `-z` command at its NUL bytes; the bytes of a name are kept as they are. */
export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  while (start < output.length) {
    const end = output.indexOf(0, start);
    const stop = end < 0 ? output.length : end;
    parts.push(output.subarray(start, stop));
    start = stop + 1;
  }
  return parts;
}

/** The non-empty lines of an output that is known to be ASCII or UTF-8 without names (object ids, counts). */
export function splitLines(output: Buffer): string[] {
  return output
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

/** Joins names for the stdin of a `-z --stdin` command. */
export function joinNul(names: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [];
  for (const name of names) pieces.push(name, NUL);
  return Buffer.concat(pieces);
}

const NUL = Buffer.from([0]);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A name as text a person can read and a log can hold: bytes that are not UTF-8, control characters and backslashes
 * are written as `\xNN`, so two names never look alike.
 */
export function renderName(name: Uint8Array): string {
  try {
    return escapeControls(utf8.decode(name));
  } catch {
    return Array.from(name, (byte) =>
      byte < 0x20 || byte >= 0x7f || byte === 0x5c ? escapeByte(byte) : String.fromCharCode(byte),
    ).join('');
  }
}

function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped.
  return text.replace(/[\u0000-\u001f\u007f\\]/g, (character) => escapeByte(character.charCodeAt(0)));
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
