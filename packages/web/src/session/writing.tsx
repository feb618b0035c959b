import type { SessionDetail } from '@ramet/client';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../data/action.ts';
import { Trouble } from '../ui/states.tsx';
import type { CommandName } from './commands.ts';
import { Composer } from './composer.tsx';
import { HelpDialog } from './help-dialog.tsx';

export interface WritingProps {
  readonly detail: SessionDetail;
  /** A turn is open. */
  readonly isBusy: boolean;
  /** It is this daemon that works on it. */
  readonly isDrivenHere: boolean;
  /** Null: no turn has ended yet. */
  readonly onFork: (() => void) | null;
  /** Called after each message that was taken. */
  readonly onSent: () => void;
}

/** The composer of a session, and what its commands do. */
export function Writing({ detail: { id, model }, isBusy, isDrivenHere, onFork, onSent }: WritingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isHelp, setHelp] = useState(false);
  const navigate = useNavigate();
  const focus = useLocation({ select: (location) => location.state.focus });
  useEffect(() => {
    if (focus === 'composer' || matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [focus]);
  const interrupt = useAction({ id, run: (api) => api.call('interrupt', { path: { id } }) });
  const retitle = useAction<string>({
    id,
    run: (api, title) => api.call('setTitle', { path: { id }, body: { title } }),
  });
  const runs: Readonly<Record<CommandName, (argument: string) => string | undefined>> = {
    fork: () => {
      onFork?.();
      return onFork === null ? 'No turn has ended yet: there is nothing to fork at.' : undefined;
    },
    title: (title) => void retitle.mutate(title),
    interrupt: () => void interrupt.mutate(),
    compare: (other) => void navigate({ to: '/compare/$left/$right', params: { left: id, right: other } }),
    help: () => void setHelp(true),
  };
  const error = interrupt.error ?? retitle.error;
  return (
    <div className="shrink-0 px-3 pb-3">
      {error !== null && <Trouble error={error} />}
      <Composer
        id={id}
        field={field}
        model={model}
        isBusy={isBusy}
        {...(isDrivenHere ? { onInterrupt: () => interrupt.mutate() } : {})}
        onSent={onSent}
        onCommand={(name, argument) => runs[name](argument)}
      />
      <HelpDialog isOpen={isHelp} onClose={() => setHelp(false)} />
    </div>
  );
}
