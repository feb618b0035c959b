/** What a run changed in its files since it began, as its latest checkpoint has them. */
import { useQuery } from '@tanstack/react-query';
import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../app/api.tsx';
import { keys } from '../../data/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { DiffView } from '../../workspace/diff-view.tsx';

/** The button, and the dialog it opens. */
export function RunChanges({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <FileDiff aria-hidden size={14} /> What it changed
      </Button>
      <Dialog title="What the run changed" shape="wide" isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <Changes id={id} />}
      </Dialog>
    </>
  );
}

function Changes({ id }: { readonly id: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: [...keys.of(id), 'changes'],
    queryFn: ({ signal }) => api.call('readDiff', { path: { id }, query: { patch: 'true' } }, signal),
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="the differences" />;
  return data === null ? <Empty title="There is nothing to compare" /> : <DiffView diff={data} />;
}
