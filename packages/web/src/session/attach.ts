/** Files that are to go with a message. */
import type { Attachment } from '@ramet/client';

/** Larger ones are refused here: a provider would refuse them, too. */
const LARGEST_BYTES = 10 * 1024 * 1024;

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

export interface Attached {
  readonly files: readonly Attachment[];
  /** Why others were not taken. */
  readonly problems: readonly string[];
}

/** Reads files that were pasted, dropped or chosen. */
export async function readFiles(files: Iterable<File>): Promise<Attached> {
  const read: Attachment[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const problem = problemOf(file);
    if (problem === null) read.push({ mediaType: file.type, filename: file.name || 'image', data: await encode(file) });
    else problems.push(problem);
  }
  return { files: read, problems };
}

function problemOf({ name, type, size }: File): string | null {
  if (!IMAGE.test(type)) return `${name} is no PNG, JPEG, GIF or WebP image`;
  return size > LARGEST_BYTES ? `${name} is larger than 10 MiB` : null;
}

async function encode(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}
