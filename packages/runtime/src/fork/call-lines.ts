/** Reads the lines of calls that marks name: neighbours together, nothing else of the log. */
import { type EventOf, Failure, knownEvent, type NodePath, parseLine, type WriteMark } from '@ramet/core';
import type { LogOutline, SharedLog } from '../store/index.ts';

/** A call of a node of a graph run, and the segment that holds its `tool.intent`. */
export interface MarkedCall {
  readonly mark: WriteMark;
  readonly node: NodePath;
  readonly segment: number;
}

/** To read on over so much costs no more than to open the segment once more. */
const GAP_BYTES = 64 * 1024;

/** What calls were given, by offset, as their lines hold it; they come in the order of the log. */
export function readInputs(log: SharedLog, calls: readonly MarkedCall[]): ReadonlyMap<number, unknown> {
  const outline = log.readOutline();
  const inputs = new Map<number, unknown>();
  for (const group of groupNeighbours(calls)) {
    for (const { offset, bytes } of readGroup(outline, group)) {
      inputs.set(offset, parseIntent(log, offset, bytes).input);
    }
  }
  return inputs;
}

function groupNeighbours(calls: readonly MarkedCall[]): readonly (readonly MarkedCall[])[] {
  const groups: MarkedCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1)?.at(-1);
    const isNear =
      last?.segment === call.segment && call.mark.position - (last.mark.position + last.mark.bytes) <= GAP_BYTES;
    if (isNear) groups.at(-1)?.push(call);
    else groups.push([call]);
  }
  return groups;
}

function readGroup(
  outline: LogOutline,
  group: readonly MarkedCall[],
): readonly { readonly offset: number; readonly bytes: Uint8Array }[] {
  const [first] = group;
  const last = group.at(-1)?.mark;
  if (first === undefined || last === undefined) return [];
  const start = first.mark.position;
  const span = outline.readLineBytes(first.segment, start, last.position + last.bytes - start);
  return group.map(({ mark: { offset, position, bytes } }) => {
    return { offset, bytes: span.subarray(position - start, position - start + bytes) };
  });
}

function parseIntent({ id }: SharedLog, offset: number, bytes: Uint8Array): EventOf<'tool.intent'> {
  const event = parseLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  const known = typeof event === 'string' ? null : knownEvent(event);
  if (known?.type === 'tool.intent' && known.seq === offset) return known;
  throw new Failure(
    'log_damaged',
    `event ${offset} of ${id} changed while it was forked; check it with \`ramet verify\``,
  );
}
