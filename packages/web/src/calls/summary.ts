import { escapeLine } from '@ramet/core/text';

const LONGEST = 200;

/** What a call is about, in one line: its command, its path, what it searches for. */
export function summarizeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return shorten(String(input ?? ''));
  const { command, path, pattern } = input as Readonly<Record<string, unknown>>;
  if (typeof command === 'string') return shorten(command);
  if (typeof pattern === 'string') return shorten(typeof path === 'string' ? `${pattern} in ${path}` : pattern);
  if (typeof path === 'string') return shorten(path);
  const text = Object.entries(input).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return shorten(text.join(', '));
}

function shorten(text: string): string {
  const [line = ''] = text
    .trimStart()
    .slice(0, LONGEST * 4)
    .split('\n', 1);
  const isCut = line.length > LONGEST || line.length < text.trim().length;
  return `${escapeLine(line.slice(0, LONGEST))}${isCut ? '…' : ''}`;
}
