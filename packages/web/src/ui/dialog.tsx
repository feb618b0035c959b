/** Dialogs: focus stays in them, Escape closes them, and what opened them has the focus again. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { IconButton } from './button.tsx';

const SHAPES = {
  /** In the middle; on a narrow screen it takes all of it. */
  middle:
    'inset-0 m-auto h-fit max-h-[min(100dvh,48rem)] max-w-2xl border sm:rounded-lg max-sm:h-dvh max-sm:max-h-dvh max-sm:border-0',
  /** For files and differences. */
  wide: 'inset-0 m-auto h-dvh max-h-[min(100dvh,56rem)] max-w-5xl border sm:rounded-lg',
  /** From the right. */
  drawer: 'inset-y-0 right-0 h-dvh max-w-[26rem] border-l',
} as const;

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly actions?: ReactNode;
  readonly shape?: keyof typeof SHAPES;
}

/** A dialog with a title, content that scrolls, and actions that do not. */
export function Dialog({ title, isOpen, onClose, children, actions, shape = 'middle' }: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-black/40" />
        <Base.Popup
          initialFocus={() => findFirstField(content.current)}
          className={`fixed z-30 flex w-full flex-col overflow-hidden border-line bg-surface shadow-xl ${SHAPES[shape]}`}
        >
          <div className="flex shrink-0 items-center gap-2 border-line border-b px-4 py-2">
            <Base.Title className="told min-w-0 flex-1 font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label="Close" />}>
              <X aria-hidden size={16} />
            </Base.Close>
          </div>
          <div ref={content} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
            {children}
          </div>
          {actions !== undefined && (
            <div className="flex shrink-0 flex-wrap justify-end gap-2 border-line border-t px-4 py-2.5">{actions}</div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** What is to be filled in comes before what closes it; true: whatever comes first. */
function findFirstField(content: HTMLElement | null): HTMLElement | true {
  return content?.querySelector<HTMLElement>('input, textarea, select') ?? true;
}
