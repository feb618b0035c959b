/** Two sessions side by side: where they part, what each did after that, how their files differ, what a check says of each. */
import type { Comparison } from '@ramet/client';
import { renderCount } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { Loading, Trouble } from '../ui/states.tsx';
import { CheckPanel } from './check-panel.tsx';
import { FilesPart } from './files-part.tsx';
import { SharedTurns } from './shared-turns.tsx';
import { SideFacts } from './side-facts.tsx';
import { SideTurns } from './side-turns.tsx';

/** The page at `/compare/$left/$right`. */
export function ComparePage() {
  const { left, right } = useParams({ from: '/compare/$left/$right' });
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.of(left), 'compare', right],
    queryFn: ({ signal }) => api.call('compare', { path: { id: left, other: right } }, signal),
    placeholderData: (before) => before,
  });
  if (data === undefined) {
    if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
    return <Loading what="the two sessions" />;
  }
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-7xl space-y-4 p-4">
        <h1 className="font-semibold text-lg">Compare</h1>
        {error !== null && <Trouble error={error} />}
        <p className="text-muted">{describeRelation(data)}</p>
        <Columns comparison={data} part={(side) => <SideFacts side={side} />} name="Cost and time" />
        <Columns
          comparison={data}
          part={(side) => <CheckPanel key={side.id} id={side.id} />}
          name="The project's check"
        />
        <FilesPart comparison={data} />
        {data.common !== null && <SharedTurns id={data.left.id} through={data.common.offset} />}
        <Columns
          comparison={data}
          part={(side) => <SideTurns key={side.id} id={side.id} after={data.common?.offset ?? -1} />}
          name="What each did"
        />
      </div>
    </div>
  );
}

type Side = Comparison['left'];

interface ColumnsProps {
  readonly comparison: Comparison;
  readonly name: string;
  readonly part: (side: Side) => ReactNode;
}

/** Beside each other; one below the other where there is no room for two. */
function Columns({ comparison: { left, right }, name, part }: ColumnsProps) {
  return (
    <section aria-label={name} className="grid gap-4 md:grid-cols-2">
      <div className="min-w-0">{part(left)}</div>
      <div className="min-w-0">{part(right)}</div>
    </section>
  );
}

const RELATIONS: Readonly<Record<Comparison['relation'], string>> = {
  same: 'These are the same session.',
  parent: 'The second was forked from the first.',
  child: 'The first was forked from the second.',
  siblings: 'Both were forked from the same session.',
  relatives: 'Both descend from one session.',
  none: 'They have nothing in common.',
};

function describeRelation({ relation, common }: Comparison): string {
  const shared =
    common === null ? '' : ` They are the same, byte for byte, through ${renderCount(common.offset + 1, 'event')}.`;
  return `${RELATIONS[relation]}${shared}`;
}
