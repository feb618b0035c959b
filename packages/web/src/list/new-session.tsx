/** The form that begins a session. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { makeKey, useAction } from '../data/action.ts';
import { useCapabilities } from '../data/capabilities.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { AreaField, CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Trouble } from '../ui/states.tsx';

const KINDS = {
  '': 'Private git checkout',
  directory: 'The folder itself, shared',
  none: 'No files',
} as const;

interface Draft {
  readonly cwd: string;
  readonly prompt: string;
  readonly title: string;
  readonly model: string;
  readonly workspace: keyof typeof KINDS;
  readonly allowDirty: boolean;
}

const BLANK: Draft = { cwd: '', prompt: '', title: '', model: '', workspace: '', allowDirty: false };

/** Asks for a folder and a prompt, and moves to the session they make. */
export function NewSession({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title="New session" isOpen={isOpen} onClose={onClose}>
      <Form onClose={onClose} />
    </Dialog>
  );
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const { data } = useCapabilities();
  const [draft, setDraft] = useState(BLANK);
  const { create, isPending, error } = useCreate();
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) create(draft);
  };
  return (
    <form className="grid gap-3 p-4 sm:grid-cols-2" onSubmit={submit}>
      <Work draft={draft} set={set} folders={data?.projects.map(({ path }) => path) ?? []} />
      <How draft={draft} set={set} fallback={data?.models.default ?? null} />
      {error !== null && (
        <div className="sm:col-span-2">
          <Trouble error={error} />
        </div>
      )}
      <div className="flex justify-end gap-2 sm:col-span-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={isPending}>
          {isPending ? 'Beginning…' : 'Begin'}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

function Work({ draft, set, folders }: PartProps & { readonly folders: readonly string[] }) {
  const list = useId();
  return (
    <>
      <div className="sm:col-span-2">
        <TextField
          label="Folder"
          required
          list={list}
          placeholder="/home/me/project"
          hint="On the machine the daemon runs on."
          value={draft.cwd}
          onChange={(event) => set({ cwd: event.target.value })}
        />
        <datalist id={list}>
          {folders.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </div>
      <div className="sm:col-span-2">
        <AreaField
          label="What is to be done"
          required
          rows={5}
          value={draft.prompt}
          onChange={(event) => set({ prompt: event.target.value })}
        />
      </div>
    </>
  );
}

function How({ draft, set, fallback }: PartProps & { readonly fallback: string | null }) {
  return (
    <>
      <TextField
        label="Model"
        placeholder={fallback ?? 'anthropic/claude-…'}
        hint={fallback === null ? 'No default is set.' : 'Empty: the default.'}
        value={draft.model}
        onChange={(event) => set({ model: event.target.value })}
      />
      <TextField label="Title" value={draft.title} onChange={(event) => set({ title: event.target.value })} />
      <SelectField
        label="Workspace"
        value={draft.workspace}
        onChange={(event) => set({ workspace: event.target.value as Draft['workspace'] })}
      >
        {Object.entries(KINDS).map(([kind, text]) => (
          <option key={kind} value={kind}>
            {text}
          </option>
        ))}
      </SelectField>
      <div className="self-end pb-1">
        <CheckField
          label="Bring uncommitted changes along"
          checked={draft.allowDirty}
          onChange={(event) => set({ allowDirty: event.target.checked })}
        />
      </div>
    </>
  );
}

/** One form makes one session, however often it is sent; another text is another request and has another key. */
function useCreate() {
  const navigate = useNavigate();
  const [keys] = useState(() => new Map<string, string>());
  const { mutate, isPending, error } = useAction<Draft, { readonly session: string }>({
    run: (api, { cwd, prompt, title, model, workspace, allowDirty }) => {
      const body = {
        cwd,
        prompt,
        ...(title === '' ? {} : { title }),
        ...(model === '' ? {} : { model }),
        ...(workspace === '' ? {} : { workspace }),
        ...(allowDirty ? { allowDirty } : {}),
      };
      const text = JSON.stringify(body);
      const key = keys.get(text) ?? makeKey();
      keys.set(text, key);
      return api.call('createSession', { body, key });
    },
    onDone: ({ session }) => void navigate({ to: '/s/$id', params: { id: session } }),
  });
  return { create: mutate, isPending, error };
}
