/** The entry of a thread that writes batches; loaded in the main thread only to learn where it lies. */
import { openEntry, type ThreadData } from '../../../threads/index.ts';
import { type BatchFile, type HashName, WHOLE_BYTES, type WrittenBatch, writeBatch } from './batch.ts';
import { PackReader } from './packs/reader.ts';

/** What a thread is started with. */
export interface RestoreThreadData extends ThreadData {
  readonly serves: 'restore';
  /** How many batches wait for the thread or are in its hands. */
  readonly waiting: Int32Array<SharedArrayBuffer>;
}

/** Of one restore: `packs` are folders; with `files` null it is over. */
export interface ThreadRequest {
  readonly restore: number;
  readonly packs: readonly string[];
  readonly hashName: HashName;
  readonly files: readonly BatchFile[] | null;
}

/** `written` and `failed` answer the batches in the order they came. */
export type ThreadReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'written'; readonly written: WrittenBatch }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined };

/** Where this module lies. */
export const THREAD_URL = import.meta.url;

const entry = openEntry<RestoreThreadData>('restore');
if (entry !== null) {
  const { port } = entry;
  const { waiting } = entry.data;
  const readers = new Map<number, PackReader>();
  port.on('message', (request: ThreadRequest) => {
    if (request.files === null) {
      readers.get(request.restore)?.close();
      readers.delete(request.restore);
      return;
    }
    const reply = answer(readers, request, request.files);
    Atomics.sub(waiting, 0, 1);
    port.postMessage(reply);
  });
  port.postMessage({ kind: 'ready' } satisfies ThreadReply);
}

function answer(
  readers: Map<number, PackReader>,
  { restore, packs, hashName }: ThreadRequest,
  files: readonly BatchFile[],
): ThreadReply {
  try {
    const reader = readers.get(restore) ?? new PackReader(packs, WHOLE_BYTES);
    readers.set(restore, reader);
    return { kind: 'written', written: writeBatch(reader, files, hashName) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, code };
  }
}
