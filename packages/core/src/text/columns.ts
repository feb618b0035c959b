import { padText, truncateText, widthOf } from './width.ts';

export interface ColumnOptions {
  /** Columns of the terminal; absent: lines are as long as they need to be. */
  readonly width?: number | undefined;
  /** Put before every row. */
  readonly indent?: string;
}

/**
 * Renders rows as columns, two blanks apart. The last column takes what is left of the width and is cut there; the
 * others are never cut. Cells must be escaped already.
 */
export function renderColumns(rows: readonly (readonly string[])[], options: ColumnOptions = {}): readonly string[] {
  const indent = options.indent ?? '';
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => (column === count - 1 ? cell : padText(cell, widths[column] ?? 0)));
    const line = `${indent}${cells.filter((_, column) => (widths[column] ?? 0) > 0).join('  ')}`.trimEnd();
    return options.width === undefined ? line : truncateText(line, options.width);
  });
}
