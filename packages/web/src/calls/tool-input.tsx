import { renderJson } from '@ramet/core/text';
import { BoundedText } from '../ui/bounded-text.tsx';
import { FilePatch } from '../ui/file-patch.tsx';
import { makeEditPatch } from './edit-patch.ts';

/** What a tool was given: a command as a command, an edit as differences, anything else as JSON. */
export function ToolInput({ input }: { readonly input: unknown }) {
  const { command, path, old, new: next, content } = fieldsOf(input);
  if (typeof path === 'string' && typeof old === 'string' && typeof next === 'string') {
    return <FilePatch text={makeEditPatch({ path, old, new: next })} />;
  }
  if (typeof path === 'string' && typeof content === 'string') {
    return <FilePatch text={makeEditPatch({ path, old: '', new: content })} />;
  }
  if (typeof command === 'string') return <BoundedText isMono text={`$ ${command}`} className="p-2" />;
  return <BoundedText isMono text={renderJson(input, 2)} className="p-2" />;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}
