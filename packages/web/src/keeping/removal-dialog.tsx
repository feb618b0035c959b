/** Shows what removing would free and lose, and removes. */
import type { RemovalPlan } from '@ramet/client';
import { escapeText, renderBytes, renderCount } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../app/api.tsx';
import { useAction } from '../data/action.ts';
import { keys } from '../data/keys.ts';
import { useNames } from '../data/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { Loading, Trouble } from '../ui/states.tsx';

export interface RemovalDialogProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The dialog; once it is removed, the list is shown. */
export function RemovalDialog({ id, isOpen, onClose }: RemovalDialogProps) {
  return (
    <Dialog title="Remove" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Plan id={id} onClose={onClose} />}
    </Dialog>
  );
}

function Plan({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const api = useApi();
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: keys.removal(id),
    queryFn: ({ signal }) => api.call('planRemoval', { path: { id } }, signal),
    staleTime: 0,
  });
  const [isLost, setLost] = useState(false);
  const removal = useAction<boolean>({
    run: (client, loseWork) =>
      client.call('remove', { path: { id }, ...(loseWork ? { query: { loseWork: 'true' } } : {}) }),
    onDone: () => void navigate({ to: '/' }),
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="what would be removed" />;
  const unsaved = data.runs.flatMap((run) => run.unsaved);
  return (
    <>
      <div className="flex-1 space-y-3 p-4">
        <Freed plan={data} />
        {unsaved.length > 0 && (
          <div className="space-y-2 rounded border border-warn/50 bg-warn-soft p-3">
            <p className="font-medium text-warn">Work that is nowhere else would be lost:</p>
            <ul className="list-disc pl-4">
              {unsaved.map(({ kind, message }) => (
                <li key={`${kind} ${message}`} className="told">
                  {escapeText(message)}
                </li>
              ))}
            </ul>
            <CheckField label="Lose it" checked={isLost} onChange={(event) => setLost(event.target.checked)} />
          </div>
        )}
        {removal.error !== null && <Trouble error={removal.error} />}
      </div>
      <footer className="flex justify-end gap-2 border-line border-t px-4 py-2.5">
        <Button onClick={onClose}>Keep it</Button>
        <Button
          kind="danger"
          disabled={removal.isPending || (unsaved.length > 0 && !isLost)}
          onClick={() => removal.mutate(unsaved.length > 0)}
        >
          {removal.isPending ? 'Removing…' : 'Remove it'}
        </Button>
      </footer>
    </>
  );
}

function Freed({ plan }: { readonly plan: RemovalPlan }) {
  const nameOf = useNames();
  const children = plan.runs.flatMap((run) => run.children).length;
  return (
    <>
      <ul className="space-y-1">
        {plan.runs.map(({ id, title }) => (
          <li key={id} className="told font-medium">
            {nameOf(id, title)}
            <span className="font-mono font-normal text-muted text-xs">{id}</span>
          </li>
        ))}
      </ul>
      <p>
        This frees {renderBytes(plan.bytes.own)}
        {plan.bytes.shared > 0 && `; ${renderBytes(plan.bytes.shared)} are shared and stay`}. It cannot be undone.
      </p>
      {children > 0 && (
        <p className="text-muted">
          {renderCount(children, 'fork')} of it {children === 1 ? 'stays' : 'stay'}, with everything{' '}
          {children === 1 ? 'it holds' : 'they hold'}.
        </p>
      )}
    </>
  );
}
