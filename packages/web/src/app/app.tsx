/** The whole interface: a token, the data, the pages. */
import { ApiProblem } from '@ramet/client';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProvider } from './api.tsx';
import { router } from './router.tsx';
import { applyTheme, readTheme } from './theme.ts';
import { forgetToken, readToken } from './token.ts';
import { TokenPage } from './token-page.tsx';

applyTheme(readTheme());

/** The interface. */
export function App() {
  const [token, setToken] = useState(readToken);
  const [queries] = useState(() => makeQueries(() => setToken(null)));
  if (token === null) return <TokenPage onToken={setToken} />;
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider token={token}>
        <RouterProvider router={router} />
      </ApiProvider>
    </QueryClientProvider>
  );
}

/** Refusals are answers: only what may be different the next time is tried again. */
function makeQueries(onUnauthorized: () => void): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { retry: (count, error) => !(error instanceof ApiProblem) && count < 2 } },
    queryCache: new QueryCache({
      onError: (error) => {
        if (!(error instanceof ApiProblem) || error.status !== 401) return;
        forgetToken();
        onUnauthorized();
      },
    }),
  });
}
