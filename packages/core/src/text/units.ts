/** Numbers as people read them; always in English, whatever the machine's locale. */

const SIZES = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes with a binary unit and at most one decimal: `812 B`, `1.4 MiB`. */
export function renderBytes(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const next of SIZES) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return unit === 'B' ? `${bytes} B` : `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** How long ago something was: `12s`, `5m`, `3h`, `9d`. */
export function renderAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** A count with its noun: `1 turn`, `2 turns`. */
export function renderCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Bytes of a text such as `500M`, `2GiB`, `1.5 G` or `1000`; units are binary; null when it is none. */
export function parseBytes(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?$/i.exec(text.trim());
  if (match === null) return null;
  const power = ' kmgt'.indexOf((match[2] ?? ' ').toLowerCase());
  return Math.floor(Number(match[1]) * 1024 ** power);
}
