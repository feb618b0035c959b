import { isUtf8 } from 'node:buffer';
import { closeSync, readSync } from 'node:fs';
import * as z from 'zod';
import { answerText, makeTool } from './definition.ts';
import { openRegularFile, ToolProblem } from './file-access.ts';
import { countCutTail, decodeText } from './text.ts';
import type { Tool, ToolAnswer, ToolContext } from './types.ts';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** How far into a file lines are looked for. */
const MAX_SCAN_BYTES = 256 * 1024 * 1024;

/** First bytes of file types worth a name of their own. */
const SIGNATURES: readonly (readonly [hex: string, kind: string])[] = [
  ['89504e470d0a1a0a', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['47494638', 'a GIF image'],
  ['52494646', 'a RIFF file (WebP image, sound or video)'],
  ['25504446', 'a PDF document'],
  ['504b0304', 'a ZIP archive'],
  ['1f8b', 'a gzip archive'],
  ['7f454c46', 'an ELF program'],
];

interface Selection {
  /** First line wanted, from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly limitBytes: number;
}

interface Selected {
  readonly bytes: Buffer;
  /** The line after the last one that was taken whole. */
  readonly nextLine: number;
  /** The file goes on after what was taken. */
  readonly more: boolean;
  /** The last line taken is not whole. */
  readonly cutInLine: boolean;
}

/** `read_file`: a text file, or some of its lines. */
export const readFileTool: Tool = makeTool({
  name: 'read_file',
  description:
    'Read a text file. `offset` is the first line wanted (from 1) and `limit` how many lines; without them the file from its start. A note in brackets at the end says when there is more.',
  input: z.object({
    path: z.string(),
    offset: z.int().min(1).optional(),
    limit: z.int().min(1).optional(),
  }),
  effect: 'read',
  subject: ({ path }) => path,
  run: ({ path, offset = 1, limit = Number.MAX_SAFE_INTEGER }, context) =>
    readLines(path, { offset, limit, limitBytes: context.outputLimitBytes }, context),
});

function readLines(path: string, selection: Selection, context: ToolContext): ToolAnswer {
  const { descriptor, stat } = openRegularFile(path, context);
  try {
    const start = Buffer.alloc(Math.min(8192, stat.size));
    const kind = describeBinary(start.subarray(0, readSync(descriptor, start, 0, start.length, 0)));
    if (kind !== null)
      return answerText(`[${JSON.stringify(path)} is ${kind} of ${stat.size} bytes; its content is not shown]`);
    return renderSelected(selection, selectLines(descriptor, selection));
  } finally {
    closeSync(descriptor);
  }
}

function describeBinary(start: Buffer): string | null {
  const hex = start.subarray(0, 8).toString('hex');
  const known = SIGNATURES.find(([signature]) => hex.startsWith(signature));
  if (known !== undefined) return known[1];
  return start.includes(0) ? 'a binary file' : null;
}

/** Reads on until the lines, the bytes or the file end. */
function selectLines(descriptor: number, selection: Selection): Selected {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const parts: Buffer[] = [];
  const lastLine = selection.offset + selection.limit;
  let line = 1;
  let room = selection.limitBytes;
  for (let scanned = 0; ; scanned += CHUNK_BYTES) {
    if (scanned > MAX_SCAN_BYTES)
      throw new ToolProblem(`Line ${selection.offset} is too far into the file: use shell (sed -n).`);
    const length = readSync(descriptor, chunk, 0, chunk.length, null);
    if (length === 0) return { bytes: Buffer.concat(parts), nextLine: line, more: false, cutInLine: false };
    for (let at = 0; at < length; ) {
      if (line >= lastLine) return { bytes: Buffer.concat(parts), nextLine: line, more: true, cutInLine: false };
      const newline = chunk.subarray(0, length).indexOf(NEWLINE, at);
      const end = newline === -1 ? length : newline + 1;
      if (line >= selection.offset) {
        const part = chunk.subarray(at, Math.min(end, at + room));
        parts.push(Buffer.from(part));
        room -= part.length;
        if (part.length < end - at) return { bytes: Buffer.concat(parts), nextLine: line, more: true, cutInLine: true };
      }
      if (newline !== -1) line += 1;
      at = end;
    }
  }
}

function renderSelected({ offset }: Selection, selected: Selected): ToolAnswer {
  const { bytes, nextLine, more, cutInLine } = selected;
  const whole = more ? bytes.subarray(0, bytes.length - countCutTail(bytes)) : bytes;
  const notes: string[] = [];
  if (!isUtf8(whole)) notes.push('not UTF-8: bytes that are none read as U+FFFD here');
  if (cutInLine)
    notes.push(
      `cut within line ${nextLine}: the answer is full; read on with offset ${nextLine}, or use shell for a very long line`,
    );
  else if (more) notes.push(`there is more: read on with offset ${nextLine}`);
  if (bytes.length === 0) notes.push(offset === 1 && !more ? 'the file is empty' : `the file has no line ${offset}`);
  const text = decodeText(whole);
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return answerText(notes.length === 0 ? text : `${text}${gap}[${notes.join('; ')}]`);
}
