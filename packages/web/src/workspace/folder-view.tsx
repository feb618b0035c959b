/** The files of a checkpoint, folder by folder. */
import type { Folder, FolderEntry } from '@ramet/client';
import { escapeLine, renderBytes } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { CornerLeftUp, File, FileSymlink, Folder as FolderIcon } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { FileDialog } from './file-dialog.tsx';

export interface FolderViewProps {
  /** The session or run. */
  readonly id: string;
  /** Offset of a boundary with a checkpoint. */
  readonly at: number;
}

const ICONS = { file: File, link: FileSymlink, folder: FolderIcon };

/** The files at a boundary; a file is shown in a dialog. */
export function FolderView({ id, at }: FolderViewProps) {
  const api = useApi();
  const [path, setPath] = useState('');
  const [file, setFile] = useState<string | null>(null);
  const { data, error } = useQuery({
    queryKey: keys.folder(id, at, path),
    queryFn: ({ signal }) => api.call('readFolder', { path: { id }, query: { at, path } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="files" />;
  const open = ({ name, kind }: FolderEntry) => {
    const inner = path === '' ? name : `${path}/${name}`;
    if (kind === 'folder') setPath(inner);
    else if (kind !== 'link') setFile(inner);
  };
  return (
    <>
      {path !== '' && (
        <button type="button" className={LINE} onClick={() => setPath(path.split('/').slice(0, -1).join('/'))}>
          <CornerLeftUp aria-hidden size={14} className="shrink-0 text-muted" />
          <span className="truncate text-muted">{escapeLine(path)}</span>
          <span className="sr-only">, up to its parent</span>
        </button>
      )}
      <Entries folder={data} onOpen={open} />
      <FileDialog id={id} at={at} path={file} onClose={() => setFile(null)} />
    </>
  );
}

const LINE =
  'flex w-full min-w-0 items-center gap-2 px-3 py-1 text-left hover:bg-raised focus-visible:-outline-offset-2';

function Entries({ folder, onOpen }: { readonly folder: Folder; readonly onOpen: (entry: FolderEntry) => void }) {
  if (folder.entries.length === 0) return <Empty title="This folder is empty" />;
  return (
    <ul>
      {folder.entries.map((entry) => {
        const Icon = ICONS[entry.kind];
        return (
          <li key={entry.name}>
            <button
              type="button"
              className={LINE}
              disabled={entry.kind === 'link' || !entry.utf8}
              onClick={() => onOpen(entry)}
            >
              <Icon aria-hidden size={14} className="shrink-0 text-muted" />
              <span className="truncate font-mono text-xs">
                {escapeLine(entry.name)}
                {entry.target !== undefined && ` → ${escapeLine(entry.target)}`}
              </span>
              <span className="ml-auto shrink-0 text-muted text-xs tabular-nums">
                {entry.size !== null && renderBytes(entry.size)}
              </span>
            </button>
          </li>
        );
      })}
      {folder.truncated && <li className="px-3 py-1 text-muted text-xs">More are there than are shown.</li>}
    </ul>
  );
}
