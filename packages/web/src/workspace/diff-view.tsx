/** What changed, file by file; a file's lines are drawn when it is unfolded. */
import type { ChangedFile, Diff } from '@ramet/client';
import { escapeLine, renderCount } from '@ramet/core/text';
import { useState } from 'react';
import { FilePatch } from '../ui/file-patch.tsx';
import { Empty } from '../ui/states.tsx';

/** Files that stand open at first, when there are no more than these. */
const OPEN_FILES = 3;

/** The differences between two states of a workspace. */
export function DiffView({ diff }: { readonly diff: NonNullable<Diff> }) {
  const { files, hidden, leftOut } = diff;
  return (
    <div>
      {files.length === 0 ? (
        <Empty title="No file differs" />
      ) : (
        <ul className="divide-y divide-line">
          {files.map((file) => (
            <li key={file.path}>
              <ChangedFileView file={file} isOpenAtFirst={files.length <= OPEN_FILES} />
            </li>
          ))}
        </ul>
      )}
      {hidden.ignored + hidden.nested > 0 && (
        <p className="p-3 text-muted text-xs">
          Not shown: {renderCount(hidden.ignored, 'ignored file')} and {renderCount(hidden.nested, 'file')} of nested
          repositories.
        </p>
      )}
      {leftOut.length > 0 && (
        <p className="told p-3 text-muted text-xs">
          Left out of the checkpoint: {leftOut.map(({ path }) => path).join(', ')}
        </p>
      )}
    </div>
  );
}

function ChangedFileView({ file, isOpenAtFirst }: { readonly file: ChangedFile; readonly isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { status, path, oldPath, additions, deletions, binary, patch } = file;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer items-center gap-2 px-3 py-1.5 hover:bg-raised focus-visible:-outline-offset-2">
        <span className="told min-w-0 flex-1 font-mono text-xs">
          {oldPath !== null && oldPath !== path && `${escapeLine(oldPath)} → `}
          {escapeLine(path)}
        </span>
        <span className="shrink-0 text-muted text-xs">{status}</span>
        <span className="shrink-0 text-xs tabular-nums">
          <span className="text-accent">+{additions}</span> <span className="text-danger">−{deletions}</span>
        </span>
      </summary>
      {isOpen && (
        <div className="overflow-x-auto border-line border-t bg-surface">
          <Lines isBinary={binary} patch={patch} />
        </div>
      )}
    </details>
  );
}

function Lines({ isBinary, patch }: { readonly isBinary: boolean; readonly patch: string | undefined }) {
  if (isBinary) return <p className="p-2 text-muted text-xs">It is no text.</p>;
  if (patch === undefined) return <p className="p-2 text-muted text-xs">Its lines are too many to be shown.</p>;
  return patch === '' ? <p className="p-2 text-muted text-xs">Its text is the same.</p> : <FilePatch text={patch} />;
}
