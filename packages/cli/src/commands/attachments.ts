import { readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { TurnRequest } from '@ramet/runtime/session';
import type { CliContext } from '../context.ts';

type Attachment = TurnRequest['attachments'][number];

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** Models take images of a few megabytes; a log line points to them. */
const LIMIT_BYTES = 20 * 1024 * 1024;

/** Reads the files given with a prompt: images by their ending, everything else must be UTF-8 text. */
export function readAttachments(context: CliContext, files: readonly string[]): readonly Attachment[] | Refusal {
  const attachments: Attachment[] = [];
  for (const file of files) {
    const attachment = readAttachment(resolve(context.cwd, file));
    if (isRefusal(attachment)) return attachment;
    attachments.push(attachment);
  }
  return attachments;
}

function readAttachment(path: string): Attachment | Refusal {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return refuse('bad_usage', `cannot attach ${path}: it is not a file`);
    if (stats.size > LIMIT_BYTES) return refuse('bad_usage', `cannot attach ${path}: it is larger than 20 MiB`);
    const data = new Uint8Array(readFileSync(path));
    const filename = basename(path);
    const image = IMAGES[extname(path).toLowerCase()];
    if (image !== undefined) return { mediaType: image, filename, data };
    if (isText(data)) return { mediaType: 'text/plain', filename, data };
    return refuse('bad_usage', `cannot attach ${path}: it is neither an image (png, jpg, gif, webp) nor UTF-8 text`);
  } catch (error) {
    return refuse('bad_usage', `cannot attach ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}`);
  }
}

function isText(data: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(data).includes('\0');
  } catch {
    return false;
  }
}
