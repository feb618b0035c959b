/** Things a person does: called once, the answers it makes stale asked for again. */
import type { Client } from '@ramet/client';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

export interface ActionOptions<V, A> {
  /** What it changes; absent: lists alone. */
  readonly id?: string;
  readonly run: (api: Client, value: V) => Promise<A>;
  readonly onDone?: (answer: A, value: V) => void;
}

/** An action with its state: `isPending` while it runs, `error` when it was refused. */
export function useAction<V = void, A = unknown>({
  id,
  run,
  onDone,
}: ActionOptions<V, A>): UseMutationResult<A, Error, V> {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation<A, Error, V>({
    mutationFn: (value) => run(api, value),
    onSuccess: (answer, value) => onDone?.(answer, value),
    onSettled: () => {
      if (id !== undefined) void queries.invalidateQueries({ queryKey: keys.of(id) });
      for (const queryKey of [keys.rows, keys.inbox]) void queries.invalidateQueries({ queryKey });
    },
  });
}

/** A key that makes one thing, however often its request is sent. */
export function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
