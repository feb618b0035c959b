import { escapeLine } from '@ramet/core/text';
import { useMemo } from 'react';
import { type Row, useRows } from './rows.ts';

/** What a session or run is called: by its title, an untitled run by its graph in brackets, as `ramet runs` lists it. */
export function renderName(title: string, graph?: string): string {
  if (title !== '') return escapeLine(title);
  return graph === undefined ? 'Untitled' : `(${escapeLine(graph)})`;
}

/** What a row is called. */
export function nameOfRow({ kind, title, with: document }: Pick<Row, 'kind' | 'title' | 'with'>): string {
  return renderName(title, kind === 'run' ? document : undefined);
}

/** What a session or run is called where only its id and title are told. */
export function useNames(): (id: string, title: string) => string {
  const { data } = useRows();
  return useMemo(() => {
    const rows = new Map((data ?? []).map((row) => [row.id, row]));
    return (id, title) => {
      const row = rows.get(id);
      return row === undefined ? renderName(title) : nameOfRow({ ...row, title });
    };
  }, [data]);
}
