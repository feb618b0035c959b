import type { Row } from './measure.ts';

/** Renders rows as a table with the ratio first: times on a shared machine come second. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.name,
    `${row.ratio.toFixed(2)} ×`,
    renderMs(row.ms),
    renderMs(row.floorMs),
    `${renderMs(row.leastMs)} to ${renderMs(row.leastFloorMs)}`,
    describeTarget(row),
    row.note === undefined ? row.floor : `${row.floor}; ${row.note}`,
  ]);
  const table = [['what', 'ratio', 'time', 'floor', 'least of both', 'target', 'against'], ...lines];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  const rendered = table.map((line) =>
    line.map((cell, column) => (column < 6 ? cell.padEnd(widths[column] ?? 0) : cell)).join('  '),
  );
  return `${rendered.join('\n')}\n`;
}

function describeTarget({ target, ratio, ms, leastMs, leastFloorMs }: Row): string {
  if (target === undefined) return '';
  const parts: string[] = [];
  if (target.ratio !== undefined) parts.push(`${ratio <= target.ratio ? 'holds' : 'MISSED'} ≤ ${target.ratio} ×`);
  if (target.ms !== undefined) parts.push(`${ms <= target.ms ? 'holds' : 'MISSED'} ≤ ${target.ms} ms`);
  if (target.beyondMs !== undefined) {
    const beyond = leastMs - leastFloorMs;
    parts.push(`${beyond <= target.beyondMs ? 'holds' : 'MISSED'} ≤ ${target.beyondMs} ms beyond the floor`);
  }
  return parts.join(', ');
}

/** With two decimals where one would say little. */
function renderMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}
