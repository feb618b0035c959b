import { escapeLine } from '@ramet/core/text';
import { ChevronRight } from 'lucide-react';
import { KindIcon } from './kind-icon.tsx';
import { StateMark } from './state-mark.tsx';
import { summarizeView } from './summary.ts';
import type { WalkRow } from './tree.ts';

export const WALK_ROW_HEIGHT = 46;
/** Deeper rows are not moved further to the right. */
const DEEPEST = 6;

export interface WalkRowProps {
  readonly id: string;
  readonly row: WalkRow;
  readonly top: number;
  readonly isLeft: boolean;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
}

/** One row of the tree; its keys are those of the tree. */
export function WalkRowView(props: WalkRowProps) {
  const { id, row, top, isLeft, isCurrent, isSelected, onToggle, onChoose } = props;
  const summary = row.kind === 'node' && row.view !== undefined ? summarizeView(row.view) : '';
  const look = isSelected ? 'bg-accent-soft' : 'hover:bg-raised';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      {...(row.isExpanded === null ? {} : { 'aria-expanded': row.isExpanded })}
      className={`absolute inset-x-0 flex cursor-pointer items-center gap-1.5 border-line border-b pr-2 ${look} ${isCurrent ? 'group-focus-visible:outline-2 group-focus-visible:outline-accent group-focus-visible:-outline-offset-2' : ''}`}
      style={{
        height: WALK_ROW_HEIGHT,
        transform: `translateY(${top}px)`,
        paddingLeft: 6 + Math.min(row.level - 1, DEEPEST) * 14,
      }}
      onClick={onChoose}
    >
      <Chevron row={row} onToggle={onToggle} />
      {row.kind === 'node' && <KindIcon kind={row.nodeKind} />}
      <span className="min-w-0 flex-1">
        <span className={`block truncate ${row.kind === 'node' ? 'font-mono text-xs' : 'text-xs'}`}>
          {escapeLine(row.label)}
          {row.kind === 'node' && row.nodeKind !== null && <span className="sr-only">, {row.nodeKind}</span>}
        </span>
        {summary !== '' && <span className="block truncate text-[0.7rem] text-muted">{summary}</span>}
      </span>
      <StateMark state={row.state} kind={row.kind === 'node' ? row.nodeKind : null} isLeft={isLeft} />
    </div>
  );
}

function Chevron({ row: { isExpanded }, onToggle }: Pick<WalkRowProps, 'row' | 'onToggle'>) {
  if (isExpanded === null) return <span className="w-5 shrink-0" />;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the right and left arrow of the tree do the same
    // biome-ignore lint/a11y/noStaticElementInteractions: the row says whether it is unfolded
    <span
      className="flex size-5 shrink-0 items-center justify-center rounded hover:bg-line"
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <ChevronRight aria-hidden size={14} className={isExpanded ? 'rotate-90' : ''} />
    </span>
  );
}
