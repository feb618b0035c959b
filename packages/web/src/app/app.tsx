/** The whole interface: a token, the data, the pages. */
import { ApiProblem } from '@ramet/client';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ApiProvider } from './api.tsx';
import { router } from './router.tsx';
import { applyTheme, readTheme } from './theme.ts';
import { forgetToken, readToken } from './token.ts';
import { type Refused, TokenPage } from './token-page.tsx';

applyTheme(readTheme());

/** The interface. */
export function App() {
  const [{ token, isNew }, setHeld] = useState(readToken);
  const [refused, setRefused] = useState<Refused | null>(null);
  const queries = useMemo(
    () =>
      makeQueries(isNew, (why) => {
        setRefused(why);
        setHeld({ token: null, isNew: false });
      }),
    [isNew],
  );
  if (token === null)
    return <TokenPage refused={refused} onToken={(given) => setHeld({ token: given, isNew: true })} />;
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider token={token}>
        <RouterProvider router={router} />
      </ApiProvider>
    </QueryClientProvider>
  );
}

/** Refusals are answers: only what may be different the next time is tried again. */
function makeQueries(isNew: boolean, onRefused: (why: Refused) => void): QueryClient {
  let wasTaken = !isNew;
  return new QueryClient({
    defaultOptions: { queries: { retry: (count, error) => !(error instanceof ApiProblem) && count < 2 } },
    queryCache: new QueryCache({
      onSuccess: () => {
        wasTaken = true;
      },
      onError: (error) => {
        if (!(error instanceof ApiProblem) || error.status !== 401) return;
        forgetToken();
        onRefused(wasTaken ? 'stale' : 'wrong');
      },
    }),
  });
}
