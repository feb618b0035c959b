import type { RunDetail } from '@ramet/client';
import type { Digest } from '@ramet/core/events';
import { compileGraph, type Graph, isGraphProblems, validateGraph } from '@ramet/core/graph';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

/** What is told of a run besides its walk. */
export type RunFacts = Omit<RunDetail, 'walk'>;

/** A graph run: what it waits for, descent, usage; its walk is derived from its log, and not kept a second time. */
export function useRun(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.run(id),
    queryFn: async ({ signal }): Promise<RunFacts> => {
      const { walk: _, ...facts } = await api.call('readRun', { path: { id } }, signal);
      return facts;
    },
  });
}

/** A document, compiled; null when this version cannot read it. A hash names one document for good. */
export function useGraph(hash: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['graph', hash],
    queryFn: async ({ signal }): Promise<Graph | null> => {
      const document = validateGraph(await api.call('readGraph', { path: { hash: hash ?? '' } }, signal));
      return isGraphProblems(document) ? null : compileGraph(document, hash as Digest);
    },
    enabled: hash !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}
