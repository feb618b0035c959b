/** What is shown to whoever comes without a token. */
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { keepToken } from './token.ts';

/** Asks for the token. */
export function TokenPage({ onToken }: { readonly onToken: (token: string) => void }) {
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
      <p className="text-muted">
        Open the address that <code className="font-mono">ramet serve</code> printed: it holds the token. Or paste the
        token here.
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
