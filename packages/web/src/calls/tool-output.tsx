import type { ToolOutput as Output } from '@ramet/core/events';
import { renderJson } from '@ramet/core/text';
import { BoundedText } from '../ui/bounded-text.tsx';

/** What a tool answered. */
export function ToolOutput({ output }: { readonly output: Output }) {
  const { type, value } = output;
  const text = typeof value === 'string' ? value : renderJson(value, 2);
  if (text === '') return <p className="p-2 text-muted text-xs">It answered nothing.</p>;
  return <BoundedText isMono text={text} className={`p-2 ${type.startsWith('error') ? 'text-danger' : ''}`} />;
}
