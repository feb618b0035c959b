/** How keys move through a tree. */

export type Move = 'next' | 'previous' | 'first' | 'last' | 'expand' | 'collapse' | 'open' | 'page' | 'back';

const MOVES: Readonly<Record<string, Move>> = {
  ArrowDown: 'next',
  j: 'next',
  ArrowUp: 'previous',
  k: 'previous',
  Home: 'first',
  End: 'last',
  ArrowRight: 'expand',
  l: 'expand',
  ArrowLeft: 'collapse',
  h: 'collapse',
  PageDown: 'page',
  PageUp: 'back',
  Enter: 'open',
};

const PAGE_ROWS = 12;

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** What a key means, or null. */
export function moveOf({ key, ctrlKey, metaKey, altKey }: Pressed): Move | null {
  return ctrlKey || metaKey || altKey ? null : (MOVES[key] ?? null);
}

/** Where a move leads among so many rows; -1 is before the first. */
export function stepTo(move: Move, at: number, count: number): number {
  const wanted: Readonly<Record<Move, number>> = {
    next: at + 1,
    previous: at - 1,
    first: 0,
    last: count - 1,
    page: at + PAGE_ROWS,
    back: at - PAGE_ROWS,
    expand: at + 1,
    collapse: at,
    open: at,
  };
  return Math.min(Math.max(wanted[move], 0), count - 1);
}
