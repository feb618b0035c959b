import { lazy, Suspense } from 'react';
import { boundText } from './bound.ts';
import { BoundedText } from './bounded-text.tsx';
import { Loading } from './states.tsx';

/** What is drawn line by line; a longer patch is shown as text, bounded. */
const DRAWN = { lines: 2_000, characters: 200_000 };

const Patch = lazy(async () => ({ default: (await import('./patch.tsx')).Patch }));

/** One file's patch, as git writes it. */
export function FilePatch({ text }: { readonly text: string }) {
  if (boundText(text, DRAWN).left > 0) return <BoundedText isMono text={text} className="p-2" />;
  return (
    <Suspense fallback={<Loading what="the differences" />}>
      <Patch text={text} />
    </Suspense>
  );
}
