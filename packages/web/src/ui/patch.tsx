/** A patch, drawn. Loaded when it is first needed. */
import { escapeText } from '@ramet/core/text';
import { useMemo } from 'react';
import { Diff, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import './patch.css';

/** One file's patch, as git writes it; a patch that cannot be read is shown as it is. */
export function Patch({ text }: { readonly text: string }) {
  const file = useMemo(() => readPatch(text), [text]);
  if (file === undefined || file.hunks.length === 0)
    return <pre className="told font-mono text-xs">{escapeText(text)}</pre>;
  return (
    <Diff viewType="unified" diffType={file.type} hunks={file.hunks}>
      {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
    </Diff>
  );
}

function readPatch(text: string) {
  try {
    return parseDiff(escapeText(text))[0];
  } catch {
    return undefined;
  }
}
