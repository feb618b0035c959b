import { renderCount } from '@ramet/core/text';
import { useState } from 'react';
import { useSession } from '../data/session.ts';
import { TurnsView } from './turns-view.tsx';

export interface SharedTurnsProps {
  /** Either of the two. */
  readonly id: string;
  /** The last event both have. */
  readonly through: number;
}

/** What both have in common, folded. */
export function SharedTurns({ id, through }: SharedTurnsProps) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useSession(id);
  const count = data?.turns.filter(({ start }) => start.offset <= through).length;
  return (
    <details
      className="rounded-md border border-line bg-surface"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer px-3 py-2 hover:bg-raised">
        What both have in common{count !== undefined && `: ${renderCount(count, 'turn')}`}
      </summary>
      {isOpen && (
        <div className="mx-auto max-w-3xl border-line border-t p-3">
          <TurnsView id={id} from={0} to={through} />
        </div>
      )}
    </details>
  );
}
