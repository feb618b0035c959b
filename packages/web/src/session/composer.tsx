/**
 * Where a person writes: Enter sends, Shift+Enter begins a line, a slash begins a command.
 *
 * 1. What was written is lost by nothing but sending it.
 * 2. Enter that ends the choice of a character (input methods) sends nothing.
 */
import { ArrowUp, ImagePlus, SlidersHorizontal, Square } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { AttachedFiles } from './attached-files.tsx';
import type { CommandName } from './commands.ts';
import { ComposerField } from './composer-field.tsx';
import { describeSettings } from './describe-settings.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { useComposing } from './use-composing.ts';

export interface ComposerProps {
  readonly id: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The model of its last turn. */
  readonly model: string | undefined;
  /** A turn is open: what is sent waits for its end. */
  readonly isBusy: boolean;
  /** Absent: nothing runs here that could be stopped. */
  readonly onInterrupt?: () => void;
  /** Called after each message that was taken. */
  readonly onSent: () => void;
  /** Does what a command says; answers why it cannot. */
  readonly onCommand: (name: CommandName, argument: string) => string | undefined;
}

/** The composer of a session. */
export function Composer(props: ComposerProps) {
  const { field, model, onInterrupt } = props;
  const { draft, files, problem, isSending, isWaiting, submit, holdBack, take, leaveOut } = useComposing(props);
  const [isSetting, setSetting] = useState(false);
  return (
    <ComposerField field={field} text={draft.text} onText={draft.setText} onSubmit={submit} onFiles={take}>
      <AttachedFiles files={files} onRemove={leaveOut} />
      {problem !== null && (
        <p role="alert" className="told px-3 pb-1 text-danger text-xs">
          {problem}
        </p>
      )}
      {isWaiting && (
        <p role="status" className="px-3 pb-1 text-muted text-xs">
          It is sent when the turn is over.{' '}
          <button type="button" className="text-accent underline" onClick={holdBack}>
            Hold it back
          </button>
        </p>
      )}
      <div className="flex items-center gap-1 px-1.5 pb-1.5">
        <Picker onFiles={take} />
        <Button kind="quiet" className="min-w-0 px-1.5! text-muted text-xs" onClick={() => setSetting(true)}>
          <SlidersHorizontal aria-hidden size={14} className="shrink-0" />
          <span className="truncate">{describeSettings(draft.settings, model)}</span>
          <span className="sr-only">, change the settings of the next turn</span>
        </Button>
        <span className="flex-1" />
        {onInterrupt !== undefined && (
          <Button onClick={onInterrupt}>
            <Square aria-hidden size={12} className="fill-current" /> Interrupt
          </Button>
        )}
        <Button kind="primary" disabled={isWaiting || isSending || draft.text.trim() === ''} onClick={submit}>
          <ArrowUp aria-hidden size={14} /> Send
        </Button>
      </div>
      <SettingsDialog
        isOpen={isSetting}
        model={model}
        settings={draft.settings}
        onClose={() => setSetting(false)}
        onChange={draft.setSettings}
      />
    </ComposerField>
  );
}

function Picker({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  return (
    <IconButton
      label="Attach images"
      onClick={() => {
        const input = document.createElement('input');
        Object.assign(input, { type: 'file', multiple: true, accept: 'image/png,image/jpeg,image/gif,image/webp' });
        input.onchange = () => onFiles([...(input.files ?? [])]);
        input.click();
      }}
    >
      <ImagePlus aria-hidden size={16} />
    </IconButton>
  );
}
