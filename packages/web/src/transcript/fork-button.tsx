import { GitFork } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { useFrame } from './context.ts';
import type { TurnSpan } from './types.ts';

/** Forks at the end of the very turn it stands in; nothing while that turn is open. */
export function ForkButton({ span }: { readonly span: TurnSpan | undefined }) {
  const { onFork } = useFrame();
  const end = span?.end ?? null;
  if (span === undefined || end === null || onFork === null) return null;
  return (
    <IconButton
      label={`Fork after turn ${span.turn}`}
      className="-my-1 size-7! opacity-60 hover:opacity-100 focus-visible:opacity-100"
      onClick={() => onFork(end)}
    >
      <GitFork aria-hidden size={14} />
    </IconButton>
  );
}
