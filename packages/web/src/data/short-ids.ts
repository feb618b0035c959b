import type { RunId } from '@ramet/core';
import { shortIdsOf } from '@ramet/core/runs';
import { useMemo } from 'react';
import { useRows } from './rows.ts';

/** Fewest characters that lists show. */
const SHORTEST = 6;

/** The short form of any id: unique among all that are there, and accepted back by the API. */
export function useShortIds(): (id: string) => string {
  const { data } = useRows();
  return useMemo(() => {
    const short = shortIdsOf((data ?? []).map(({ id }) => id as RunId));
    return (id) => short.get(id as RunId) ?? id.replaceAll('-', '').slice(-SHORTEST);
  }, [data]);
}
