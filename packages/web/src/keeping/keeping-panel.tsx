/** What is done with a session or a run besides driving it: named, checked, brought home, removed. */
import type { Applied, Verification } from '@ramet/client';
import { escapeText, renderCount } from '@ramet/core/text';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAction } from '../data/action.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Trouble } from '../ui/states.tsx';
import { RemovalDialog } from './removal-dialog.tsx';

export interface KeepingPanelProps {
  readonly id: string;
  readonly title: string;
  /** Whether its files are in a private checkout, whose work can be brought home. */
  readonly isApplicable: boolean;
}

/** The panel. */
export function KeepingPanel({ id, title, isApplicable }: KeepingPanelProps) {
  return (
    <div className="divide-y divide-line">
      <TitleForm key={title} id={id} title={title} />
      {isApplicable && <ApplyForm id={id} />}
      <Verify id={id} />
      <Remove id={id} />
    </div>
  );
}

function TitleForm({ id, title }: { readonly id: string; readonly title: string }) {
  const [text, setText] = useState(title);
  const { mutate, isPending, error } = useAction<string>({
    id,
    run: (api, value) => api.call('setTitle', { path: { id }, body: { title: value } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') mutate(text.trim());
  };
  return (
    <form className="space-y-2 p-3" onSubmit={submit}>
      <TextField label="Title" maxLength={200} value={text} onChange={(event) => setText(event.target.value)} />
      <Button type="submit" disabled={isPending || text.trim() === '' || text === title}>
        Give it this title
      </Button>
      {error !== null && <Trouble error={error} />}
    </form>
  );
}

function ApplyForm({ id }: { readonly id: string }) {
  const [branch, setBranch] = useState('');
  const { mutate, isPending, error, data } = useAction<{ readonly toCheckout: boolean }, Applied>({
    id,
    run: (api, { toCheckout }) => {
      const body = toCheckout ? { toCheckout } : branch.trim() === '' ? {} : { branch: branch.trim() };
      return api.call('apply', { path: { id }, body });
    },
  });
  return (
    <Part title="Bring its work home">
      <p className="text-muted">Its latest files become a commit in your repository. Your checkout is not touched.</p>
      <TextField
        label="Branch"
        placeholder="none: a ref of its own"
        value={branch}
        onChange={(event) => setBranch(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isPending} onClick={() => mutate({ toCheckout: false })}>
          Make the commit
        </Button>
        <Button disabled={isPending} onClick={() => mutate({ toCheckout: true })}>
          Change my checkout, too
        </Button>
      </div>
      {data !== undefined && (
        <p role="status" className="told text-accent">
          It is there as {data.branch ?? data.ref} ({data.commit.slice(0, 10)}).
        </p>
      )}
      {error !== null && <Trouble error={error} />}
    </Part>
  );
}

function Verify({ id }: { readonly id: string }) {
  const { mutate, isPending, error, data } = useAction<void, Verification>({
    run: (api) => api.call('verify', { path: { id } }),
  });
  return (
    <Part title="Verify">
      <p className="text-muted">Checks every byte of its log, its payloads and its checkpoints, trusting nothing.</p>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Checking…' : 'Check every byte'}
      </Button>
      {data !== undefined && data.problems.length === 0 && (
        <p role="status" className="text-accent">
          {renderCount(data.events, 'event')}, all as they were written.
        </p>
      )}
      {data !== undefined && data.problems.length > 0 && (
        <ul role="status" className="list-disc pl-4 text-danger">
          {data.problems.map(({ kind, message }) => (
            <li key={`${kind} ${message}`} className="told">
              {escapeText(message)}
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Trouble error={error} />}
    </Part>
  );
}

function Remove({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Part title="Remove">
      <p className="text-muted">Its forks keep everything they hold. You see first what would be lost.</p>
      <Button onClick={() => setOpen(true)}>Remove…</Button>
      <RemovalDialog id={id} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="space-y-2 p-3">
      <h2 className="font-medium">{title}</h2>
      {children}
    </section>
  );
}
