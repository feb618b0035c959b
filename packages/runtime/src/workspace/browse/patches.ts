/**
 * The patch of each file of a diff, within limits: a diff may be of any size, and is the agent's.
 *
 * 1. Git writes files in the order of the list, each with a `diff --git` line of its own; a change of type is two of them,
 *    the old file gone and the new one there. No line of a patch itself begins like that.
 */
import type { CheckpointDiff, DiffFile } from '../diff/diff.ts';

export interface PatchLimits {
  /** Absent: 64 KiB for a file, 1 MiB in all. */
  readonly fileBytes?: number;
  readonly totalBytes?: number;
}

export interface FilePatch {
  readonly file: DiffFile;
  /** As git writes it, cut off at the end of a line; empty where nothing of it fits. */
  readonly patch: Buffer;
  /** There is more of it. */
  readonly truncated: boolean;
}

const FILE_BYTES = 64 * 1024;
const TOTAL_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const HEADER = Buffer.from('diff --git ');

/** Reads the patch of every file of a diff, as far as the limits go. */
export async function readFilePatches(
  compared: CheckpointDiff,
  limits: PatchLimits = {},
): Promise<readonly FilePatch[]> {
  const { fileBytes = FILE_BYTES, totalBytes = TOTAL_BYTES } = limits;
  const collector = new PatchCollector(compared.files, { fileBytes, totalBytes });
  for await (const chunk of compared.patch()) {
    collector.add(chunk);
    if (collector.isFull) break;
  }
  return collector.finish();
}

class PatchCollector {
  readonly #files: readonly DiffFile[];
  readonly #limits: Required<PatchLimits>;
  readonly #patches: { pieces: Buffer[]; size: number; truncated: boolean }[];
  /** Index of the file whose patch is read, and how many headers of it are to come. */
  #at = -1;
  #headersLeft = 0;
  #total = 0;
  #isFull = false;
  /** The beginning of a line whose end is not here yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** The rest of a line that is longer than any that is kept is passed over. */
  #isPassing = false;

  constructor(files: readonly DiffFile[], limits: Required<PatchLimits>) {
    this.#files = files;
    this.#limits = limits;
    this.#patches = files.map(() => ({ pieces: [], size: 0, truncated: false }));
  }

  /** Nothing more would be kept. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      if (!this.#isPassing) this.#addLine(data.subarray(start, end + 1));
      this.#isPassing = false;
      start = end + 1;
    }
    this.#rest = this.#isPassing ? Buffer.alloc(0) : Buffer.from(data.subarray(start));
    if (this.#rest.length <= this.#limits.fileBytes) return;
    this.#addLine(this.#rest);
    this.#rest = Buffer.alloc(0);
    this.#isPassing = true;
  }

  finish(): readonly FilePatch[] {
    if (this.#rest.length > 0) this.#addLine(this.#rest);
    return this.#files.map((file, index) => {
      const { pieces = [], truncated = false } = this.#patches[index] ?? {};
      return { file, patch: Buffer.concat(pieces), truncated: truncated || (this.#isFull && index > this.#at) };
    });
  }

  #addLine(line: Buffer): void {
    if (line.subarray(0, HEADER.length).equals(HEADER)) this.#beginSection();
    const patch = this.#patches[this.#at];
    if (patch === undefined || patch.truncated) return;
    this.#isFull = this.#total + line.length > this.#limits.totalBytes;
    patch.truncated = this.#isFull || patch.size + line.length > this.#limits.fileBytes;
    if (patch.truncated) return;
    patch.size += line.length;
    this.#total += line.length;
    patch.pieces.push(Buffer.from(line));
  }

  #beginSection(): void {
    if (this.#headersLeft > 0) {
      this.#headersLeft -= 1;
      return;
    }
    this.#at += 1;
    this.#headersLeft = this.#files[this.#at]?.status === 'type_changed' ? 1 : 0;
  }
}
