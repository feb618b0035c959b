import { Link } from '@tanstack/react-router';
import { Columns2 } from 'lucide-react';

export interface CompareLinkProps {
  readonly left: string;
  readonly right: string;
  /** What a screen reader says: `Compare with its parent`. */
  readonly label: string;
  readonly className?: string;
  readonly tabIndex?: number;
}

/** Leads to two sessions side by side. */
export function CompareLink({ left, right, label, className = '', ...rest }: CompareLinkProps) {
  return (
    <Link
      to="/compare/$left/$right"
      params={{ left, right }}
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded text-muted hover:bg-line hover:text-ink ${className}`}
      {...rest}
    >
      <Columns2 aria-hidden size={14} />
    </Link>
  );
}
