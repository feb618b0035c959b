import { escapeLine, renderBytes } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { BoundedText } from '../ui/bounded-text.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';

export interface FileDialogProps {
  readonly id: string;
  readonly at: number;
  /** Null: closed. */
  readonly path: string | null;
  readonly onClose: () => void;
}

/** A file of a checkpoint, as text. */
export function FileDialog({ id, at, path, onClose }: FileDialogProps) {
  return (
    <Dialog title={escapeLine(path ?? '')} shape="wide" isOpen={path !== null} onClose={onClose}>
      {path !== null && <FileText id={id} at={at} path={path} />}
    </Dialog>
  );
}

function FileText({ id, at, path }: { readonly id: string; readonly at: number; readonly path: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: keys.file(id, at, path),
    queryFn: ({ signal }) => api.call('readFile', { path: { id }, query: { at, path } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="the file" />;
  if (data.text === null) return <Empty title="This is no text">{renderBytes(data.size)}</Empty>;
  return (
    <>
      <BoundedText isMono text={data.text} className="p-3" />
      {data.truncated && <p className="px-3 pb-3 text-muted text-xs">Only its beginning is shown.</p>}
    </>
  );
}
