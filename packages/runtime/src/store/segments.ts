/** The segment files of a log folder: their names, and which are there. */
import { listNames } from './durable.ts';

const SEGMENT_NAME = /^(\d{12})\.jsonl$/;

/** A segment of a log: its file and the offset it is named by. */
export interface SegmentFile {
  readonly name: string;
  readonly path: string;
  readonly first: number;
  /** An index lies beside it. */
  readonly indexed: boolean;
}

/** The file name of a segment by its first offset. */
export function segmentNameOf(first: number): string {
  return `${String(first).padStart(12, '0')}.jsonl`;
}

/** The segments of a log in order, through the one named; none when there is no such folder. */
export function listSegments(folder: string, through?: string): readonly SegmentFile[] {
  const names = [...listNames(folder)].sort();
  const all = new Set(names);
  return names
    .filter((name) => SEGMENT_NAME.test(name) && (through === undefined || name <= through))
    .map((name) => ({
      name,
      path: `${folder}/${name}`,
      first: Number(name.slice(0, 12)),
      indexed: all.has(`${name.slice(0, 12)}.idx`),
    }));
}
