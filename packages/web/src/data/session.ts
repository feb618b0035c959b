import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

/** A session: its turns, descent, workspace and usage; its transcript is in its log. */
export function useSession(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.session(id),
    queryFn: ({ signal }) => api.call('readSession', { path: { id } }, signal),
  });
}
