/**
 * Text that an agent, a model or a repository wrote, shown as it is: never markup, controls shown escaped, and only so
 * much of it at once as a page can lay out.
 */
import { escapeText } from '@ramet/core/text';
import { useMemo, useState } from 'react';
import { boundText, piecesOf } from './bound.ts';
import { Button } from './button.tsx';

export interface BoundedTextProps {
  readonly text: string;
  readonly isMono?: boolean;
  readonly className?: string;
}

/** The beginning of a text, and a way to see all of it. */
export function BoundedText({ text, isMono = false, className = '' }: BoundedTextProps) {
  const [isWhole, setWhole] = useState(false);
  const bound = useMemo(() => boundText(text), [text]);
  const pieces = useMemo(
    () => (isWhole ? piecesOf(text) : [bound.shown]).map((piece, index) => ({ index, text: escapeText(piece) })),
    [isWhole, text, bound],
  );
  return (
    <div className={`${isMono ? 'font-mono text-xs leading-5' : ''} ${className}`}>
      {pieces.map((piece) => (
        <div key={piece.index} className={`told ${isWhole ? 'laid-out-when-seen' : ''}`}>
          {piece.text}
        </div>
      ))}
      {bound.left > 0 && !isWhole && (
        <Button className="mt-1 text-xs" onClick={() => setWhole(true)}>
          Show all ({text.length.toLocaleString('en')} characters)
        </Button>
      )}
    </div>
  );
}
