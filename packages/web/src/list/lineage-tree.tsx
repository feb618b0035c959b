/**
 * The tree of sessions and runs: arrows or j and k go through it, Enter opens.
 *
 * 1. What is chosen is an id, not a place: a row that comes or goes above it never makes Enter open a neighbour.
 */
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useShortIds } from '../data/short-ids.ts';
import { addressOf } from './address.ts';
import type { LineageRow } from './lineage.ts';
import { LineageItem } from './lineage-item.tsx';
import { type Move, moveOf, stepTo } from './moves.ts';

const ROW_HEIGHT = 56;

export interface LineageTreeProps {
  readonly rows: readonly LineageRow[];
  readonly onToggle: (id: string, isExpanded: boolean) => void;
}

/** The rows in sight. */
export function LineageTree({ rows, onToggle }: LineageTreeProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shortId = useShortIds();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.row.id ?? index,
    overscan: 8,
  });
  const { at, press, chooseFirst } = useChoice({ rows, onToggle, reveal: (index) => list.scrollToIndex(index) });
  const chosen = rows[at];
  return (
    <div
      ref={frame}
      id="lineage"
      role="tree"
      tabIndex={0}
      aria-label="Sessions and runs"
      {...(chosen === undefined ? {} : { 'aria-activedescendant': `row-${chosen.row.id}` })}
      className="min-h-0 flex-1 overflow-y-auto border-line border-t outline-none"
      onKeyDown={press}
      onFocus={chooseFirst}
    >
      <div role="none" className="relative w-full" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const item = rows[index];
          if (item === undefined) return null;
          return (
            <LineageItem
              key={key}
              item={item}
              top={start}
              height={ROW_HEIGHT}
              isChosen={index === at}
              shortId={shortId}
              onToggle={onToggle}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row that keys are about, and what they do with it. */
function useChoice({ rows, onToggle, reveal }: LineageTreeProps & { readonly reveal: (index: number) => void }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const navigate = useNavigate();
  const places = useMemo(() => new Map(rows.map(({ row }, index) => [row.id, index])), [rows]);
  const at = chosen === null ? -1 : (places.get(chosen) ?? -1);
  const choose = (index: number) => {
    setChosen(rows[index]?.row.id ?? null);
    reveal(index);
  };
  const act = (move: Move) => {
    const current = rows[at];
    if (move === 'open') {
      if (current !== undefined) void navigate(addressOf(current.row));
    } else if (move === 'expand' && current !== undefined && current.children > 0 && !current.isExpanded) {
      onToggle(current.row.id, true);
    } else if (move === 'collapse' && current?.isExpanded) onToggle(current.row.id, false);
    else if (move === 'collapse' && current?.parentId) choose(places.get(current.parentId) ?? at);
    else choose(stepTo(move, at, rows.length));
  };
  const press = (event: KeyboardEvent) => {
    const move = moveOf(event);
    if (move === null) return;
    event.preventDefault();
    act(move);
  };
  return { at, press, chooseFirst: () => (at < 0 ? setChosen(rows[0]?.row.id ?? null) : undefined) };
}
