/** All sessions and runs, by who was forked from whom. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { useCapabilities } from '../data/capabilities.ts';
import { type Row, useRows } from '../data/rows.ts';
import { Button } from '../ui/button.tsx';
import { useHotKeys } from '../ui/hot-keys.ts';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { arrangeLineage, listLineage } from './lineage.ts';
import { LineageTree } from './lineage-tree.tsx';
import { NewSession } from './new-session.tsx';
import { matcherOf, type RowSearch } from './search.ts';

/** The page at `/`. */
export function ListPage() {
  const { data, error, refetch } = useRows();
  const search = useSearch({ from: '/' });
  const [isNew, setNew] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useHotKeys({ '/': () => field.current?.focus(), n: () => setNew(true) });
  return (
    <div className="mx-auto flex h-full max-w-6xl flex-col">
      <Tools field={field} search={search} onNew={() => setNew(true)} />
      {error !== null && data !== undefined && (
        <p className="px-4 pb-1 text-danger text-xs">Not fresh: {error.message}</p>
      )}
      {data === undefined ? (
        error === null ? (
          <Loading what="sessions and runs" />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Found rows={data} search={search} onNew={() => setNew(true)} />
      )}
      <NewSession isOpen={isNew} onClose={() => setNew(false)} />
    </div>
  );
}

interface FoundProps {
  readonly rows: readonly Row[];
  readonly search: RowSearch;
  readonly onNew: () => void;
}

function Found({ rows, search: { search, project }, onNew }: FoundProps) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const lineage = useMemo(() => arrangeLineage(rows), [rows]);
  const shown = useMemo(() => {
    const matches = matcherOf({ ...(search && { search }), ...(project && { project }) });
    return listLineage(lineage, { collapsed, ...(matches && { matches }) });
  }, [lineage, search, project, collapsed]);
  if (rows.length === 0) {
    return (
      <Empty title="No sessions yet">
        <p>A session is an agent's work on a folder. You can go back to any finished turn of it and try another way.</p>
        <Button kind="primary" className="mt-3" onClick={onNew}>
          New session
        </Button>
      </Empty>
    );
  }
  if (shown.length === 0) return <Empty title="Nothing is found">No title, id or model has these words.</Empty>;
  const toggle = (id: string, isExpanded: boolean) =>
    setCollapsed((before) => {
      const after = new Set(before);
      if (isExpanded) after.delete(id);
      else after.add(id);
      return after;
    });
  return <LineageTree rows={shown} onToggle={toggle} />;
}

interface ToolsProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly search: RowSearch;
  readonly onNew: () => void;
}

function Tools({ field, search, onNew }: ToolsProps) {
  const navigate = useNavigate({ from: '/' });
  const { data } = useCapabilities();
  const change = (next: RowSearch) => void navigate({ search: { ...search, ...next }, replace: true });
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <h1 className="sr-only">Sessions and runs</h1>
      <div className="relative min-w-40 flex-1">
        <Search aria-hidden size={14} className="absolute top-2.5 left-2.5 text-muted" />
        <input
          ref={field}
          type="search"
          aria-label="Search titles, ids and models"
          placeholder="Search  /"
          className="w-full rounded border border-line bg-surface py-1.5 pr-2 pl-8"
          value={search.search ?? ''}
          onChange={(event) => change({ search: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') document.getElementById('lineage')?.focus();
          }}
        />
      </div>
      {(data?.projects.length ?? 0) > 0 && (
        <select
          aria-label="Project"
          className="min-w-0 max-w-48 rounded border border-line bg-surface px-2 py-1.5 max-sm:order-3 max-sm:max-w-none max-sm:flex-1"
          value={search.project ?? ''}
          onChange={(event) => change({ project: event.target.value })}
        >
          <option value="">All projects</option>
          {data?.projects.map(({ id, path }) => (
            <option key={id} value={id}>
              {path}
            </option>
          ))}
        </select>
      )}
      <Button kind="primary" onClick={onNew}>
        <Plus aria-hidden size={14} /> New<span className="max-sm:sr-only"> session</span>
      </Button>
    </div>
  );
}
