/** Fields of forms: a label, what is typed, and what is said about it. */
import { type ComponentProps, type ReactNode, useId } from 'react';

const CONTROL =
  'w-full min-w-0 rounded border border-line bg-surface px-2.5 py-1.5 placeholder:text-muted/70 disabled:opacity-60';

interface FieldFrame {
  readonly label: string;
  /** Said below it. */
  readonly hint?: ReactNode;
}

/** A line of text. */
export function TextField({ label, hint, className = '', ...props }: FieldFrame & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint}>
      <input id={id} aria-describedby={hintIdOf(id, hint)} className={`${CONTROL} ${className}`} {...props} />
    </Frame>
  );
}

/** Several lines of text. */
export function AreaField({ label, hint, className = '', ...props }: FieldFrame & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint}>
      <textarea
        id={id}
        aria-describedby={hintIdOf(id, hint)}
        className={`${CONTROL} min-h-20 ${className}`}
        {...props}
      />
    </Frame>
  );
}

/** One of several; `children` are its options. */
export function SelectField({ label, hint, className = '', ...props }: FieldFrame & ComponentProps<'select'>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint}>
      <select id={id} aria-describedby={hintIdOf(id, hint)} className={`${CONTROL} ${className}`} {...props} />
    </Frame>
  );
}

/** Yes or no; the label is a sentence. */
export function CheckField({ label, hint, ...props }: FieldFrame & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className="flex gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hintIdOf(id, hint)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        {...props}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        <Hint id={id} hint={hint} />
      </div>
    </div>
  );
}

function Frame({ id, label, hint, children }: FieldFrame & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block font-medium text-xs">
        {label}
      </label>
      {children}
      <Hint id={id} hint={hint} />
    </div>
  );
}

function Hint({ id, hint }: { readonly id: string; readonly hint: ReactNode }) {
  if (hint === undefined) return null;
  return (
    <div id={hintIdOf(id, hint)} className="mt-1 text-muted text-xs">
      {hint}
    </div>
  );
}

function hintIdOf(id: string, hint: ReactNode): string | undefined {
  return hint === undefined ? undefined : `${id}-hint`;
}
