import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFrame } from './context.ts';

export interface FoldProps {
  /** The same for the same thing. */
  readonly name: string;
  readonly title: ReactNode;
  readonly children: () => ReactNode;
}

/** A line that unfolds to what is behind it; what is folded is not made. */
export function Fold({ name, title, children }: FoldProps) {
  const { folds } = useFrame();
  const [isOpen, setOpen] = useState(folds.get(name) ?? false);
  const toggle = () => {
    folds.set(name, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <div className={isOpen ? 'rounded-md border border-line bg-surface' : ''}>
      <button
        type="button"
        aria-expanded={isOpen}
        className={`flex w-full min-w-0 items-center gap-1.5 rounded-md px-1.5 py-1 text-left text-muted hover:bg-raised hover:text-ink ${isOpen ? 'rounded-b-none' : ''}`}
        onClick={toggle}
      >
        <ChevronRight aria-hidden size={14} className={`shrink-0 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        {title}
      </button>
      {isOpen && <div className="border-line border-t">{children()}</div>}
    </div>
  );
}
