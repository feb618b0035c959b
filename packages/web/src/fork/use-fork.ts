import type { Rule, SessionFork } from '@ramet/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../app/api.tsx';
import { makeKey, useAction } from '../data/action.ts';
import { keys } from '../data/keys.ts';
import { keepSettings } from '../session/draft.ts';
import { readGrants } from './grants.ts';

export interface ForkPlace {
  /** The session. */
  readonly id: string;
  /** Offset of the `session.end` of the turn to fork at. */
  readonly at: number;
}

/** What a fork at a turn would be. Nothing is made. */
export function useForkPlan({ id, at }: ForkPlace) {
  const api = useApi();
  return useQuery({
    queryKey: [...keys.of(id), 'fork', at],
    queryFn: ({ signal }) => api.call('forkSession', { path: { id }, body: { at, dryRun: true } }, signal),
  });
}

/** The approvals that stood at a turn's end. */
export function useGrants({ id, at }: ForkPlace) {
  const api = useApi();
  return useQuery({
    queryKey: ['grants', id, at],
    queryFn: ({ signal }) => readGrants(api, { id, at }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface ForkChoices {
  readonly title: string;
  readonly model: string;
  readonly rules: readonly Rule[];
}

/** Makes the fork and moves to it. One opening of the dialog makes one child, however often it is asked for. */
export function useMakeFork({ id, at }: ForkPlace) {
  const [key] = useState(makeKey);
  const navigate = useNavigate();
  return useAction<ForkChoices, SessionFork>({
    id,
    run: (api, { title }) => {
      const body = { at, ...(title.trim() === '' ? {} : { title: title.trim() }) };
      return api.call('forkSession', { path: { id }, body, key });
    },
    onDone: ({ session }, { model, rules }) => {
      if (session === null) return;
      const settings = {
        ...(model.trim() === '' ? {} : { model: model.trim() }),
        ...(rules.length === 0 ? {} : { rules }),
      };
      keepSettings(session, settings);
      void navigate({ to: '/s/$id', params: { id: session }, state: { focus: 'composer' } });
    },
  });
}

declare module '@tanstack/history' {
  interface HistoryState {
    /** What has the focus on the page that is moved to. */
    focus?: 'composer';
  }
}
