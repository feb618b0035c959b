/** How the files of two sessions differ now; lines are loaded when somebody looks. */
import type { Comparison } from '@ramet/client';
import { renderCount } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { Loading, Trouble } from '../ui/states.tsx';
import { DiffView } from '../workspace/diff-view.tsx';

/** The part. */
export function FilesPart({ comparison }: { readonly comparison: Comparison }) {
  const [isOpen, setOpen] = useState(false);
  const { diff, reason, left, right } = comparison;
  if (diff === null) {
    return (
      <p className="told rounded-md border border-line bg-surface px-3 py-2 text-muted">
        Their files cannot be compared{reason !== undefined && `: ${reason}`}.
      </p>
    );
  }
  const { files } = diff;
  if (files.length === 0) {
    return <p className="rounded-md border border-line bg-surface px-3 py-2">Their files are the same.</p>;
  }
  const sum = (count: 'additions' | 'deletions') => files.reduce((total, file) => total + (file[count] ?? 0), 0);
  return (
    <details
      className="rounded-md border border-line bg-surface"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer px-3 py-2 hover:bg-raised">
        <span className="font-medium">{renderCount(files.length, 'file differs', 'files differ')}</span>{' '}
        <span className="text-muted text-xs">
          from the first to the second: <span className="text-accent">+{sum('additions')}</span>{' '}
          <span className="text-danger">−{sum('deletions')}</span>
        </span>
      </summary>
      {isOpen && <Lines left={left.id} right={right.id} />}
    </details>
  );
}

function Lines({ left, right }: { readonly left: string; readonly right: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: [...keys.of(left), 'beside', right],
    queryFn: ({ signal }) =>
      api.call('readDiff', { path: { id: left }, query: { other: right, patch: 'true' } }, signal),
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="the differences" />;
  return <DiffView diff={data} />;
}
