/** What is shown to whoever comes without a token. */
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { keepToken } from './token.ts';

/** How a token was refused: it was never taken, or a daemon before this one took it. */
export type Refused = 'wrong' | 'stale';

export interface TokenPageProps {
  /** Null: there was none. */
  readonly refused: Refused | null;
  readonly onToken: (token: string) => void;
}

const REFUSALS: Readonly<Record<Refused, string>> = {
  wrong: 'The token that was given is wrong: the daemon does not take it.',
  stale: 'The token of this page is no longer taken: the daemon was started anew since, with another one.',
};

/** Asks for the token. */
export function TokenPage({ refused, onToken }: TokenPageProps) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = text.trim();
    if (token === '') return;
    keepToken(token);
    onToken(token);
  };
  return (
    <main className="mx-auto flex h-full max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="font-semibold text-xl">Ramet</h1>
      {refused !== null && (
        <p role="alert" className="rounded border border-danger/40 bg-danger-soft p-3 text-danger">
          {REFUSALS[refused]}
        </p>
      )}
      <p className="text-muted">
        Open the address that <code className="font-mono">ramet serve</code> printed: it holds the token. Or paste the
        token here. With <code className="font-mono">RAMET_TOKEN</code> set, every start of it takes the same token.
      </p>
      <form className="flex gap-2" onSubmit={submit}>
        <label className="sr-only" htmlFor="token">
          Token
        </label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          className="min-w-0 flex-1 rounded border border-line bg-surface px-3 py-2"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" kind="primary">
          Open
        </Button>
      </form>
    </main>
  );
}
