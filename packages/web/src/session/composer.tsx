/**
 * Where a person writes: Enter sends, Shift+Enter begins a line, a slash begins a command.
 *
 * 1. What was written is lost by nothing but sending it.
 * 2. Enter that ends the choice of a character (input methods) sends nothing.
 */
import type { Attachment } from '@ramet/client';
import { ArrowUp, ImagePlus, SlidersHorizontal, Square } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { describeError } from '../ui/states.tsx';
import { readFiles } from './attach.ts';
import { AttachedFiles } from './attached-files.tsx';
import { type CommandName, parseTyped } from './commands.ts';
import { ComposerField } from './composer-field.tsx';
import { describeSettings } from './describe-settings.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { useDraft } from './use-draft.ts';
import { useSend } from './use-send.ts';

export interface ComposerProps {
  readonly id: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The model of its last turn. */
  readonly model: string | undefined;
  /** A turn is open: nothing can be sent. */
  readonly isBusy: boolean;
  /** Absent: nothing runs here that could be stopped. */
  readonly onInterrupt?: () => void;
  /** Does what a command says; answers why it cannot. */
  readonly onCommand: (name: CommandName, argument: string) => string | undefined;
}

/** The composer of a session. */
export function Composer(props: ComposerProps) {
  const { field, model, isBusy, onInterrupt } = props;
  const { draft, files, said, isSending, submit, take, leaveOut } = useComposing(props);
  const [isSetting, setSetting] = useState(false);
  return (
    <ComposerField field={field} text={draft.text} onText={draft.setText} onSubmit={submit} onFiles={take}>
      <AttachedFiles files={files} onRemove={leaveOut} />
      {said !== null && (
        <p role="alert" className="told px-3 pb-1 text-danger text-xs">
          {said}
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
        <Button kind="primary" disabled={isBusy || isSending || draft.text.trim() === ''} onClick={submit}>
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

const BUSY = 'The turn is not over yet: what you wrote is kept until it is.';

/** What was written and attached, and what sending it does. */
function useComposing({ id, isBusy, onCommand }: ComposerProps) {
  const draft = useDraft(id);
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const { send, isSending, error } = useSend(id, () => {
    draft.setText('');
    setFiles([]);
  });
  const take = async (given: readonly File[]) => {
    const { files: added, problems } = await readFiles(given);
    setFiles((before) => [...before, ...added]);
    setProblem(problems.length === 0 ? null : problems.join('; '));
  };
  const submit = () => {
    const typed = parseTyped(draft.text);
    setProblem(typed.kind === 'problem' ? typed.message : null);
    if (typed.kind === 'command') {
      draft.setText('');
      setProblem(onCommand(typed.name, typed.argument) ?? null);
    } else if (typed.kind === 'message') {
      if (isBusy) setProblem(BUSY);
      else if (!isSending) send({ prompt: typed.text, attachments: files, settings: draft.settings });
    }
  };
  return {
    draft,
    files,
    // Once the turn is over there is nothing more to wait for.
    said: (problem === BUSY && !isBusy ? null : problem) ?? (error === null ? null : describeError(error)),
    isSending,
    submit,
    take: (given: readonly File[]) => void take(given),
    leaveOut: (file: Attachment) => setFiles((before) => before.filter((other) => other !== file)),
  };
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
