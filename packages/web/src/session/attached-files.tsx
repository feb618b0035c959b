import type { Attachment } from '@ramet/client';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../ui/button.tsx';

export interface AttachedFilesProps {
  readonly files: readonly Attachment[];
  readonly onRemove: (file: Attachment) => void;
}

/** What will go with the message. */
export function AttachedFiles({ files, onRemove }: AttachedFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pb-1.5">
      {files.map((file) => (
        <li
          key={`${file.filename}.${file.data.length}`}
          className="flex items-center gap-1 rounded border border-line pl-1"
        >
          <Thumbnail file={file} />
          <span className="max-w-40 truncate text-xs">{file.filename}</span>
          <IconButton label={`Leave ${file.filename} out`} className="size-6!" onClick={() => onRemove(file)}>
            <X aria-hidden size={12} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ file: { data, mediaType } }: { readonly file: Attachment }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mediaType]);
  return <img src={url} alt="" className="size-6 rounded-sm object-cover" />;
}
