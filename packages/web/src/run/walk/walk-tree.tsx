/**
 * The walk as a tree for keys and screen readers, and the only picture of it on a narrow screen. Arrows go through it and
 * unfold, Enter chooses.
 *
 * 1. What keys are about is a key of a row, not a place: rows that come above it never move the choice.
 */
import type { NodePath } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Move, moveOf, stepTo } from '../../list/moves.ts';
import { Empty } from '../../ui/states.tsx';
import type { Nodes } from '../timeline.ts';
import { keysAbove, listWalk, type WalkRow } from './tree.ts';
import { WALK_ROW_HEIGHT, WalkRowView } from './walk-row.tsx';

export interface WalkTreeProps {
  readonly graph: Graph | null;
  readonly nodes: Nodes;
  /** Nobody works on the run. */
  readonly isLeft: boolean;
  readonly selected: NodePath | null;
  readonly onSelect: (path: NodePath) => void;
}

/** The tree. */
export function WalkTree({ graph, nodes, isLeft, selected, onSelect }: WalkTreeProps) {
  const frame = useRef<HTMLDivElement>(null);
  const name = useId();
  const { expanded, toggle } = useExpanded(selected);
  const rows = useMemo(() => listWalk({ graph, nodes, expanded }), [graph, nodes, expanded]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => WALK_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
  });
  const { at, setKey, press } = useKeys({ rows, selected, toggle, onSelect, reveal: list.scrollToIndex });
  if (rows.length === 0) return <Empty title="No node was met yet" />;
  const rowId = (key: string) => `${name}-${key.replaceAll(' ', '_')}`;
  const current = rows[at];
  return (
    <div
      ref={frame}
      role="tree"
      tabIndex={0}
      aria-label="Nodes of the run"
      {...(current === undefined ? {} : { 'aria-activedescendant': rowId(current.key) })}
      className="group min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
      onKeyDown={press}
    >
      <div role="none" className="relative w-full" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <WalkRowView
              key={key}
              id={rowId(row.key)}
              row={row}
              top={start}
              isLeft={isLeft}
              isCurrent={index === at}
              isSelected={row.kind === 'node' && row.path === selected}
              onToggle={() => toggle(row.key, row.isExpanded !== true)}
              onChoose={() => {
                setKey(row.key);
                if (row.kind === 'node') onSelect(row.path);
                else toggle(row.key, row.isExpanded !== true);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** What is unfolded: what a person unfolded, and what is around the place that was chosen elsewhere. */
function useExpanded(selected: NodePath | null) {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string, isExpanded: boolean) =>
    setExpanded((before) => {
      const after = new Set(before);
      if (isExpanded) after.add(key);
      else after.delete(key);
      return after;
    });
  useEffect(() => {
    const above = selected === null ? [] : keysAbove(selected);
    if (above.length > 0) setExpanded((before) => new Set([...before, ...above]));
  }, [selected]);
  return { expanded, toggle };
}

interface Keys {
  readonly rows: readonly WalkRow[];
  readonly selected: NodePath | null;
  readonly toggle: (key: string, isExpanded: boolean) => void;
  readonly onSelect: (path: NodePath) => void;
  readonly reveal: (index: number) => void;
}

/** The row that keys are about, and what they do with it. */
function useKeys({ rows, selected, toggle, onSelect, reveal }: Keys) {
  const [key, setKey] = useState<string | null>(null);
  const places = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows]);
  const at = places.get(key ?? selected ?? '') ?? 0;
  useEffect(() => setKey(selected), [selected]);
  const go = (index: number) => {
    setKey(rows[index]?.key ?? null);
    reveal(index);
  };
  const act = (move: Move) => {
    const row = rows[at];
    if (row === undefined) return;
    if (move === 'open') {
      if (row.kind === 'node') onSelect(row.path);
      else toggle(row.key, row.isExpanded !== true);
    } else if (move === 'expand' && row.isExpanded === false) toggle(row.key, true);
    else if (move === 'collapse' && row.isExpanded === true) toggle(row.key, false);
    else if (move === 'collapse' && row.parent !== null) go(places.get(row.parent) ?? at);
    else go(stepTo(move, at, rows.length));
  };
  const press = (event: KeyboardEvent) => {
    const move = moveOf(event);
    if (move === null) return;
    event.preventDefault();
    act(move);
  };
  return { at, setKey, press };
}
