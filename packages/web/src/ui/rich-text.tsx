import { escapeText } from '@ramet/core/text';
import { lazy, Suspense, useDeferredValue } from 'react';
import { BoundedText } from './bounded-text.tsx';

/** Longer texts are shown as they are: their markup would take longer to lay out than anybody waits. */
const LONGEST_MARKDOWN = 40_000;

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

/** A text as its markup says, and as it is until that is loaded, or where it is very long. */
export function RichText({ text }: { readonly text: string }) {
  // Drawn after everything else, in small steps: whoever scrolls fast never waits for what is out of sight again.
  const drawn = useDeferredValue(text, null);
  if (text.length > LONGEST_MARKDOWN) return <BoundedText text={text} />;
  const plain = <div className="told">{escapeText(text)}</div>;
  if (drawn === null) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={drawn} />
    </Suspense>
  );
}
