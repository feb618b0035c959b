import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { DiffView } from './diff-view.tsx';

/** Two boundaries of a session or run. */
export interface DiffRange {
  readonly at: number;
  /** Null: since it began. */
  readonly from: number | null;
}

export interface DiffDialogProps {
  readonly id: string;
  /** Null: closed. */
  readonly range: DiffRange | null;
  readonly title: string;
  readonly onClose: () => void;
}

/** What changed between two boundaries. */
export function DiffDialog({ id, range, title, onClose }: DiffDialogProps) {
  return (
    <Dialog title={title} shape="wide" isOpen={range !== null} onClose={onClose}>
      {range !== null && <Differences id={id} {...range} />}
    </Dialog>
  );
}

function Differences({ id, at, from }: DiffRange & { readonly id: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: keys.diff(id, at, from),
    queryFn: ({ signal }) => {
      const query = { at, patch: 'true', ...(from === null ? {} : { from }) } as const;
      return api.call('readDiff', { path: { id }, query }, signal);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="the differences" />;
  return data === null ? <Empty title="There is nothing to compare" /> : <DiffView diff={data} />;
}
