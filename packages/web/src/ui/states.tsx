/** The pictures of what is not there: still loading, empty, refused or broken. */

import { ApiProblem, Unreachable } from '@ramet/client';
import { escapeText } from '@ramet/core/text';
import { LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** Something is on its way. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" className="flex items-center gap-2 p-4 text-muted">
      <LoaderCircle aria-hidden size={14} className="animate-spin" />
      Loading {what}…
    </p>
  );
}

/** There is nothing, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="p-6 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="mt-1 text-muted">{children}</div>}
    </div>
  );
}

/** Something was refused or broke: the code, the reason, and another try. */
export function Trouble({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <div role="alert" className="m-3 rounded border border-danger/40 bg-danger-soft p-3">
      <p className="flex items-center gap-1.5 font-medium text-danger">
        <TriangleAlert aria-hidden size={14} />
        {titleOf(error)}
      </p>
      <p className="told mt-1">{escapeText(describeError(error))}</p>
      {onRetry !== undefined && (
        <Button className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What went wrong, in one sentence. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function titleOf(error: unknown): string {
  if (error instanceof Unreachable) return 'The daemon cannot be reached';
  return error instanceof ApiProblem ? error.code.replaceAll('_', ' ') : 'Something went wrong';
}
