/**
 * Bytes a command or a file holds, as text for a model.
 *
 * 1. No cut splits a character, and no text holds half of a surrogate pair.
 * 2. What is not UTF-8 reads as U+FFFD, and the answer says so: it is never passed off as the real content.
 */
import { isUtf8 } from 'node:buffer';

/** Output of which the middle may be missing. */
export interface CutOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes missing between them. */
  readonly dropped: number;
}

export interface OutputText {
  readonly text: string;
  /** Some bytes were not UTF-8 and read as U+FFFD. */
  readonly replaced: boolean;
  /** Bytes left out, as the text says. */
  readonly dropped: number;
}

/** Splits what a sandbox collected with this limit and tail. */
export function splitCollected(bytes: Uint8Array, dropped: number, headBytes: number): CutOutput {
  if (dropped === 0) return { head: bytes, tail: new Uint8Array(0), dropped: 0 };
  return { head: bytes.subarray(0, headBytes), tail: bytes.subarray(headBytes), dropped };
}

/** At most `limitBytes` of it, half from each end. */
export function shrinkOutput(output: CutOutput, limitBytes: number): CutOutput {
  const { head, tail, dropped } = output;
  const total = head.length + tail.length;
  if (total <= limitBytes) return output;
  const all = dropped === 0 ? Buffer.concat([head, tail]) : null;
  const headBytes = Math.ceil(limitBytes / 2);
  const newHead = (all ?? head).subarray(0, headBytes);
  const tailBytes = limitBytes - newHead.length;
  const from = all ?? tail;
  const newTail = tailBytes === 0 ? from.subarray(from.length) : from.subarray(-tailBytes);
  return { head: newHead, tail: newTail, dropped: dropped + total - newHead.length - newTail.length };
}

/** The text, with a line that says how much is missing where something is. */
export function renderOutput(output: CutOutput): OutputText {
  if (output.dropped === 0) {
    const whole = Buffer.concat([output.head, output.tail]);
    return { text: decodeText(whole), replaced: !isUtf8(whole), dropped: 0 };
  }
  const head = output.head.subarray(0, output.head.length - countCutTail(output.head));
  const tail = output.tail.subarray(countCutHead(output.tail));
  const dropped = output.dropped + output.head.length - head.length + output.tail.length - tail.length;
  const text = `${decodeText(head)}\n[... ${dropped} bytes left out ...]\n${decodeText(tail)}`;
  return { text, replaced: !isUtf8(head) || !isUtf8(tail), dropped };
}

/** Text of bytes; what is not UTF-8 becomes U+FFFD. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** How many bytes at the end begin a character that is not complete. */
export function countCutTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start end a character whose beginning is missing. */
function countCutHead(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** A file name for a line of output: quoted, with escapes, where it holds control characters or is not UTF-8. */
export function renderName(name: Uint8Array): string {
  const text = decodeText(name);
  // biome-ignore lint: control characters are what is looked for
  if (isUtf8(name) && !/[\u0000-\u001f\u007f-\u009f"\\]/.test(text)) return text;
  const escaped = isUtf8(name)
    ? JSON.stringify(text).slice(1, -1)
    : Buffer.from(name)
        .toString('latin1')
        .replace(/[^\x20-\x7e]|["\\]/g, escapeByte);
  return `"${escaped.replace(/[\u007f-\u009f]/g, escapeByte)}"`;
}

function escapeByte(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
