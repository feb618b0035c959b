/** Dialogs: focus stays in them, Escape closes them, and what opened them has the focus again. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly actions?: ReactNode;
}

/** A dialog in the middle; on a narrow screen it takes all of it. */
export function Dialog({ title, isOpen, onClose, children, actions }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/40" />
        <Base.Popup className="fixed inset-0 m-auto flex h-fit max-h-[min(100dvh,48rem)] w-full max-w-2xl flex-col overflow-hidden border border-line bg-surface shadow-xl sm:rounded-lg">
          <header className="flex items-center gap-2 border-line border-b px-4 py-2.5">
            <Base.Title className="min-w-0 flex-1 font-semibold text-base">{title}</Base.Title>
            <Base.Close render={<IconButton label="Close" />}>
              <X aria-hidden size={16} />
            </Base.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">{children}</div>
          {actions !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-2.5">{actions}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
