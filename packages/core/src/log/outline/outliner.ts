/** Makes the outline of a segment from its lines, one at a time. */
import { type Digest, isEventType, knownEvent } from '../../events/index.ts';
import { mayNamePayload, payloadsIn } from '../payload.ts';
import { type Draft, finishDraft, makeDraft, type OutlinedLine, reopenDraft } from './draft.ts';
import { markLongLine } from './long-lines.ts';
import { markEvent, markOwnStart, markTaken } from './markers.ts';
import type { SegmentOutline } from './outline.ts';

/** Takes lines in order; `finish` may be called at any time and again later. */
export interface Outliner {
  add(line: OutlinedLine): void;
  finish(lastDigest: Digest): SegmentOutline;
}

/** Starts the outline of a segment whose first line has this offset and `prev`. */
export function createOutliner(first: number, prev: Digest): Outliner {
  return outlinerOf(makeDraft(first, prev));
}

/** Goes on with an outline: it is all there is to know of the lines before. */
export function resumeOutliner(outline: SegmentOutline): Outliner {
  return outlinerOf(reopenDraft(outline));
}

function outlinerOf(draft: Draft): Outliner {
  return {
    add: (line) => addLine(draft, line),
    finish: (lastDigest) => finishDraft(draft, lastDigest),
  };
}

function addLine(draft: Draft, line: OutlinedLine): void {
  const { head } = draft;
  const { event } = line;
  if (head.count === 0) head.firstTime = event.time;
  head.count += 1;
  head.bytes = line.position + line.bytes + 1;
  head.lastTime = event.time;
  if (Number.isSafeInteger(event.schema)) head.schema = Math.max(head.schema, event.schema as number);
  if (event.event0 !== undefined) markOwnStart(draft, event);
  if (event.seq === 1 && head.graph !== undefined) head.graph = { ...head.graph, event1Prev: event.prev };
  if (line.text === undefined || mayNamePayload(line.text)) {
    for (const { $blob: digest, bytes } of payloadsIn(event)) draft.payloads.push({ offset: event.seq, digest, bytes });
  }
  const long = markLongLine(event, line);
  if (long !== null) draft.long.push(long);
  const known = knownEvent(event);
  if (known !== null) markEvent(draft, known, line);
  else if (isEventType(event.type)) head.malformed += 1;
  markTaken(draft, event);
}
