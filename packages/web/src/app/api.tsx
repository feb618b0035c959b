/** The client of the API, for every component below. */
import { type Client, makeClient } from '@ramet/client';
import { createContext, type ReactNode, use, useMemo } from 'react';

const ApiContext = createContext<Client | null>(null);

/** Gives everything below a client with this token. */
export function ApiProvider({ token, children }: { readonly token: string; readonly children: ReactNode }) {
  const client = useMemo(() => makeClient({ baseUrl: '', token }), [token]);
  return <ApiContext value={client}>{children}</ApiContext>;
}

/** The client of the API. */
export function useApi(): Client {
  const client = use(ApiContext);
  if (client === null) throw new Error('bug: a component is outside of ApiProvider');
  return client;
}
