import { ApiProblem, type RunFork, type WriteHazard } from '@ramet/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../app/api.tsx';
import { makeKey, useAction } from '../../data/action.ts';
import { keys } from '../../data/keys.ts';
import { writesOfProblem } from './acknowledgement.ts';
import type { Changes } from './changes.ts';

export interface RunForkPlace {
  /** The run. */
  readonly id: string;
  /** Offset of the `node.enter` to fork at. */
  readonly at: number;
}

/** What a fork with these changes would be. Nothing is made. It is planned again whenever the run changes. */
export function useRunForkPlan({ id, at }: RunForkPlace, changes: Changes) {
  const api = useApi();
  return useQuery({
    queryKey: [...keys.of(id), 'fork', at, changes],
    queryFn: ({ signal }) => api.call('forkRun', { path: { id }, body: { at, dryRun: true, ...changes } }, signal),
    placeholderData: (before) => before,
  });
}

export interface RunForkChoices {
  readonly changes: Changes;
  readonly acknowledged: readonly number[];
  readonly title: string;
  readonly isStarted: boolean;
}

/**
 * Makes the fork and moves to it; `onHazards` is told of writes that were not acknowledged. One opening of the dialog
 * makes one child, however often it is asked for.
 */
export function useMakeRunFork({ id, at }: RunForkPlace, onHazards: (writes: readonly WriteHazard[]) => void) {
  const [key] = useState(makeKey);
  const navigate = useNavigate();
  return useAction<RunForkChoices, RunFork>({
    id,
    run: async (api, { changes, acknowledged, title, isStarted }) => {
      const body = {
        at,
        ...changes,
        ...(acknowledged.length === 0 ? {} : { acknowledgeWrites: acknowledged }),
        ...(title.trim() === '' ? {} : { title: title.trim() }),
        ...(isStarted ? {} : { start: false }),
      };
      try {
        return await api.call('forkRun', { path: { id }, body, key });
      } catch (error) {
        if (error instanceof ApiProblem) onHazards(writesOfProblem(error.data));
        throw error;
      }
    },
    onDone: ({ run }) => {
      if (run !== null) void navigate({ to: '/r/$id', params: { id: run } });
    },
  });
}
