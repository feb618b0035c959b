/**
 * Forks a session: first what a fork would bring back and what it would not, then the fork.
 *
 * 1. It forks at the turn it was opened for, also when another turn ends meanwhile.
 * 2. No model is called: the child is idle until somebody writes to it.
 */
import type { Rule, SessionFork } from '@ramet/client';
import { GitFork } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { ForkPlan } from './fork-plan.tsx';
import { Grants } from './grant-list.tsx';
import { type ForkPlace, useForkPlan, useMakeFork } from './use-fork.ts';

export interface ForkDialogProps {
  readonly id: string;
  /** Offset of the end of the turn to fork at; null: closed. */
  readonly at: number | null;
  /** The number of that turn, where it is known. */
  readonly turn: number | undefined;
  /** The model of that turn, where it is known. */
  readonly model: string | undefined;
  readonly onClose: () => void;
}

/** The dialog. */
export function ForkDialog({ id, at, turn, model, onClose }: ForkDialogProps) {
  return (
    <Dialog title={turn === undefined ? 'Fork' : `Fork after turn ${turn}`} isOpen={at !== null} onClose={onClose}>
      {at !== null && <Form key={`${id}.${at}`} place={{ id, at }} model={model} onClose={onClose} />}
    </Dialog>
  );
}

interface FormProps {
  readonly place: ForkPlace;
  readonly model: string | undefined;
  readonly onClose: () => void;
}

function Form({ place, model: last, onClose }: FormProps) {
  const { data: plan, error, refetch } = useForkPlan(place);
  const [title, setTitle] = useState('');
  const [model, setModel] = useState('');
  const [rules, setRules] = useState<readonly Rule[]>([]);
  const fork = useMakeFork(place);
  if (plan === undefined) {
    return error === null ? (
      <Loading what="what a fork brings back" />
    ) : (
      <Trouble error={error} onRetry={() => void refetch()} />
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!fork.isPending && !fork.isSuccess) fork.mutate({ title, model, rules });
  };
  return (
    <form className="flex min-h-0 flex-1 flex-col" onSubmit={submit}>
      <div className="min-h-0 flex-1 space-y-4 overflow-y-auto p-4">
        <ForkPlan plan={plan as SessionFork} />
        <Grants place={place} chosen={rules} onChoose={setRules} />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Title of the fork"
            placeholder="that of its parent"
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
          <TextField
            label="Model of its next turn"
            placeholder={last ?? 'that of the turn it forks at'}
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
        </div>
        {fork.error !== null && <Trouble error={fork.error} />}
      </div>
      <footer className="flex shrink-0 flex-wrap justify-end gap-2 border-line border-t px-4 py-2.5">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={fork.isPending || fork.isSuccess}>
          <GitFork aria-hidden size={14} /> {fork.isPending ? 'Forking…' : 'Fork'}
        </Button>
      </footer>
    </form>
  );
}
