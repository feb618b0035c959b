/**
 * Files that came with a message.
 *
 * 1. An image is made of the log's own bytes: nothing is fetched but from the daemon's log, and no markup is drawn.
 */
import type { KnownEvent } from '@ramet/core/events';
import { decodeValue, payloadsIn } from '@ramet/core/log';
import { Paperclip } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useFrame } from './context.ts';
import { usePayloads } from './use-told.ts';

const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

interface FileValue {
  readonly key: string;
  readonly mediaType: string;
  readonly filename: string;
  /** What stands in the line for its bytes. */
  readonly data: unknown;
}

/** The files of a message. */
export function Attachments({ event }: { readonly event: KnownEvent }) {
  const files = useMemo(() => filesOf(event), [event]);
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {files.map((file) => (
        <li key={file.key}>
          {DRAWN.has(file.mediaType) ? (
            <Picture file={file} />
          ) : (
            <span className="flex items-center gap-1 rounded border border-line px-2 py-1 text-xs">
              <Paperclip aria-hidden size={12} />
              <span className="told">
                {file.filename} ({file.mediaType})
              </span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Picture({ file }: { readonly file: FileValue }) {
  const { id } = useFrame();
  const payloads = useMemo(() => payloadsIn({ data: file.data }), [file]);
  const { bytes } = usePayloads(id, payloads);
  const url = useObjectUrl(file, bytes);
  if (url === null) return <span className="text-muted text-xs">Loading {file.filename}…</span>;
  return <img src={url} alt={file.filename} className="max-h-64 max-w-full rounded border border-line" />;
}

function useObjectUrl(file: FileValue, bytes: ReadonlyMap<string, Uint8Array> | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (bytes === null) return;
    const data = decodeValue(file.data, (digest) => bytes.get(digest) ?? null);
    if (!(data instanceof Uint8Array)) return;
    const made = URL.createObjectURL(new Blob([new Uint8Array(data)], { type: file.mediaType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file, bytes]);
  return url;
}

function filesOf(event: KnownEvent): readonly FileValue[] {
  if (event.type !== 'message') return [];
  const { content } = event.message;
  const parts = Array.isArray(content) ? content : [];
  return parts.flatMap((part, index) => {
    if (part?.type !== 'file') return [];
    const filename = String(part.filename ?? 'file');
    return [{ key: `${index}.${filename}`, mediaType: String(part.mediaType), filename, data: part.data }];
  });
}
