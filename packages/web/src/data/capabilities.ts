import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

/** What the daemon and its machine can do, and the projects it knows. */
export function useCapabilities() {
  const api = useApi();
  return useQuery({
    queryKey: keys.capabilities,
    queryFn: ({ signal }) => api.call('readCapabilities', {}, signal),
    staleTime: 60_000,
  });
}
