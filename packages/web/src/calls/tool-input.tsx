import { renderJson } from '@ramet/core/text';
import { BoundedText } from '../ui/bounded-text.tsx';
import { FilePatch } from '../ui/file-patch.tsx';
import { makeEditPatch } from './edit-patch.ts';

/** What a tool was given: a command as a command with what it was given besides, an edit as differences, else JSON. */
export function ToolInput({ input }: { readonly input: unknown }) {
  const { command, path, old, new: next, content, ...rest } = fieldsOf(input);
  if (typeof path === 'string' && typeof old === 'string' && typeof next === 'string') {
    return <FilePatch text={makeEditPatch({ path, old, new: next })} />;
  }
  if (typeof path === 'string' && typeof content === 'string') {
    return <FilePatch text={makeEditPatch({ path, old: '', new: content })} />;
  }
  if (typeof command === 'string') {
    const others = { ...(path === undefined ? {} : { path }), ...rest };
    const more = Object.keys(others).length === 0 ? '' : `\n${renderJson(others, 2)}`;
    return <BoundedText isMono text={`$ ${command}${more}`} className="p-2" />;
  }
  return <BoundedText isMono text={renderJson(input, 2)} className="p-2" />;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}
