import type { Row } from '../data/rows.ts';

export interface RowSearch {
  /** Words of which each must be found. */
  readonly search?: string;
  /** The id of a project. */
  readonly project?: string;
}

/** What decides whether a row is searched for; undefined when nothing is. */
export function matcherOf({ search = '', project }: RowSearch): ((row: Row) => boolean) | undefined {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && project === undefined) return undefined;
  return (row) => {
    if (project !== undefined && row.project !== project) return false;
    const text = `${row.title} ${row.id} ${row.id.replaceAll('-', '')} ${row.with ?? ''} ${row.state}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
