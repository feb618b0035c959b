import { escapeText } from '@ramet/core/text';
import { lazy, Suspense } from 'react';
import { BoundedText } from './bounded-text.tsx';

/** Longer texts are shown as they are: their markup would take longer to lay out than anybody waits. */
const LONGEST_MARKDOWN = 40_000;

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

/** A text as its markup says, and as it is until that is loaded, or where it is very long. */
export function RichText({ text }: { readonly text: string }) {
  if (text.length > LONGEST_MARKDOWN) return <BoundedText text={text} />;
  return (
    <Suspense fallback={<div className="told">{escapeText(text)}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
}
