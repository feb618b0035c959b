import { escapeLine, renderBytes, renderCount } from '@ramet/core/text';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, MessageSquareText, Workflow } from 'lucide-react';
import { memo } from 'react';
import { CompareLink } from '../compare/compare-link.tsx';
import { nameOfRow } from '../data/names.ts';
import type { Row } from '../data/rows.ts';
import { StateBadge } from '../ui/badge.tsx';
import { Age } from '../ui/time.tsx';
import { renderCost } from '../ui/usage.ts';
import { addressOf } from './address.ts';
import type { LineageRow } from './lineage.ts';

/** Deeper rows are not moved further to the right: a narrow screen must still show their titles. */
const DEEPEST = 8;

export interface LineageItemProps {
  readonly item: LineageRow;
  readonly top: number;
  readonly height: number;
  readonly isChosen: boolean;
  readonly shortId: (id: string) => string;
  readonly onToggle: (id: string, isExpanded: boolean) => void;
}

/** One row: what it is, where it came from, what it cost. */
export const LineageItem = memo(function LineageItem(props: LineageItemProps) {
  const { item, top, height, isChosen, shortId, onToggle } = props;
  const { row, depth, children, isExpanded, isContext } = item;
  return (
    <div
      id={`row-${row.id}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-posinset={item.position}
      aria-setsize={item.siblings}
      aria-selected={isChosen}
      {...(children > 0 ? { 'aria-expanded': isExpanded } : {})}
      className={`absolute inset-x-0 flex items-center gap-2 border-line/60 border-b pr-4 pl-2 hover:bg-raised ${isChosen ? 'bg-raised ring-2 ring-accent/50 ring-inset' : ''} ${isContext ? 'opacity-55' : ''}`}
      style={{
        top,
        height,
        paddingLeft: `calc(${Math.min(depth, DEEPEST)} * clamp(0.6rem, 1.6vw, 1.25rem) + 0.25rem)`,
      }}
    >
      <Fold row={row} count={children} isExpanded={isExpanded} onToggle={onToggle} />
      <Kind kind={row.kind} />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <Link
            {...addressOf(row)}
            tabIndex={-1}
            className="truncate font-medium after:absolute after:inset-0 hover:underline"
          >
            {nameOfRow(row)}
          </Link>
          {row.state !== 'idle' && <StateBadge state={row.state} />}
        </div>
        <div className="flex min-w-0 gap-x-2 text-muted text-xs">
          <span className="shrink-0 font-mono">{shortId(row.id)}</span>
          <span className="shrink-0">
            <Age time={row.createdAt} /> old
          </span>
          <Origin row={row} shortId={shortId} />
          <span className="truncate max-sm:hidden">
            {row.progress}
            {row.with !== undefined && ` · ${escapeLine(row.with)}`}
          </span>
        </div>
      </div>
      {row.kind === 'session' && item.parentId !== null && (
        <CompareLink
          left={item.parentId}
          right={row.id}
          label="Compare with its parent"
          tabIndex={-1}
          className="relative z-10 max-sm:hidden"
        />
      )}
      <Numbers row={row} />
    </div>
  );
});

function Fold({ row, count, isExpanded, onToggle }: FoldProps) {
  if (count === 0) return <span aria-hidden className="size-6 shrink-0" />;
  const Icon = isExpanded ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`${isExpanded ? 'Hide' : 'Show'} its ${renderCount(count, 'fork')}`}
      className="relative z-10 flex size-6 shrink-0 items-center justify-center rounded text-muted hover:bg-line"
      onClick={() => onToggle(row.id, !isExpanded)}
    >
      <Icon aria-hidden size={14} />
    </button>
  );
}

interface FoldProps {
  readonly row: Row;
  readonly count: number;
  readonly isExpanded: boolean;
  readonly onToggle: (id: string, isExpanded: boolean) => void;
}

function Kind({ kind }: { readonly kind: Row['kind'] }) {
  const Icon = kind === 'session' ? MessageSquareText : Workflow;
  return (
    <>
      <Icon aria-hidden size={15} className="shrink-0 text-muted" />
      <span className="sr-only">{kind}</span>
    </>
  );
}

function Origin({ row: { origin }, shortId }: { readonly row: Row; readonly shortId: (id: string) => string }) {
  if (origin === undefined) return null;
  const place = origin.fromNode === undefined ? `at ${origin.offset}` : `from ${escapeLine(origin.fromNode)}`;
  return (
    <span className="truncate">
      fork of <span className="font-mono">{shortId(origin.id)}</span> {place}
      {origin.isRemoved && ' (removed)'}
    </span>
  );
}

function Numbers({ row }: { readonly row: Row }) {
  return (
    <div className="shrink-0 text-right text-xs tabular-nums">
      <div title={`Own cost; ${renderBytes(row.ownBytes)} on disk`}>
        {renderCost(row.own)}
        {row.inherited.replies > 0 && (
          <span className="text-muted max-sm:hidden" title="Inherited: its parents paid for that">
            {' '}
            + {renderCost(row.inherited)} inherited
          </span>
        )}
      </div>
      <div className="text-muted" title="Last activity">
        <Age time={row.lastTime} /> ago
      </div>
    </div>
  );
}
