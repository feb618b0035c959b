import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

const EVERY_MS = 15_000;

/** Everything that waits for a person. */
export function useInbox() {
  const api = useApi();
  return useQuery({
    queryKey: keys.inbox,
    queryFn: ({ signal }) => api.call('readInbox', {}, signal),
    refetchInterval: EVERY_MS,
  });
}
