/** Buttons of the interface. */
import type { ComponentProps } from 'react';

const KINDS = {
  plain: 'border border-line bg-surface hover:bg-raised',
  primary: 'border border-transparent bg-accent text-accent-ink hover:opacity-90',
  danger: 'border border-transparent bg-danger text-canvas hover:opacity-90',
  quiet: 'border border-transparent hover:bg-raised',
} as const;

export type ButtonKind = keyof typeof KINDS;

/** A button with words. */
export function Button({
  kind = 'plain',
  className = '',
  type = 'button',
  ...props
}: ComponentProps<'button'> & { readonly kind?: ButtonKind }) {
  return (
    <button
      type={type}
      className={`inline-flex items-center justify-center gap-1.5 rounded px-3 py-1.5 font-medium disabled:cursor-not-allowed disabled:opacity-50 ${KINDS[kind]} ${className}`}
      {...props}
    />
  );
}

/** A button with a picture: its words are for screen readers and for whoever points at it. */
export function IconButton({ label, className = '', ...props }: ComponentProps<'button'> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded text-muted hover:bg-raised hover:text-ink disabled:opacity-50 ${className}`}
      {...props}
    />
  );
}
