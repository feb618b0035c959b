/**
 * How restored files are dated. git takes a file as old as its index for possibly changed and compares its content; an
 * older one it trusts. So files that were as old as their index come back as old as the index will be, the others a
 * minute older: one edited in the second it was restored in must not look unchanged.
 */
import type { BytePath } from '../folder/names.ts';
import type { CheckpointContents } from '../read.ts';

const AGE_SECONDS = 60;

/** What decides the dates of a restored folder. */
export interface DatesRequest {
  readonly contents: CheckpointContents;
  /** Seconds since 1970 the index is dated; not in the future. */
  readonly indexDate: number;
}

/** The date of every restored file and link, in seconds since 1970. */
export function makeDates({ contents, indexDate }: DatesRequest): (path: BytePath) => number {
  const young = new Set(contents.manifest.settled.young);
  return (path) => (young.has(path) ? indexDate : indexDate - AGE_SECONDS);
}
