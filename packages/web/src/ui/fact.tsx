/** What a plan brings back, and what it does not: a line with a mark, and the reason below it. */
import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';

interface FactProps {
  readonly is: 'back' | 'not';
  readonly title: string;
  readonly children: ReactNode;
}

/** One such line, in a list. */
export function Fact({ is, title, children }: FactProps) {
  const Icon = is === 'back' ? Check : Minus;
  return (
    <li className="flex gap-2">
      <Icon aria-hidden size={16} className={`mt-0.5 shrink-0 ${is === 'back' ? 'text-accent' : 'text-muted'}`} />
      <div className="min-w-0">
        <p className="told font-medium">{title}</p>
        <div className="told text-muted">{children}</div>
      </div>
    </li>
  );
}
