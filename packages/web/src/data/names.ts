import { escapeLine } from '@ramet/core/text';
import { useMemo } from 'react';
import { useRows } from './rows.ts';

/** What a session or run is called where only its id and title are told: an untitled run by its document. */
export function useNames(): (id: string, title: string) => string {
  const { data } = useRows();
  return useMemo(() => {
    const documents = new Map((data ?? []).map((row) => [row.id, row.kind === 'run' ? row.with : undefined]));
    return (id, title) => escapeLine(title === '' ? (documents.get(id) ?? 'Untitled') : title);
  }, [data]);
}
