import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useState,
} from 'react';
import { type CommandName, completionsOf } from './commands.ts';
import { Completions } from './completions.tsx';

export interface ComposerFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** What is typed in, with its keys, completions, and files that are pasted or dropped. */
export function ComposerField({ field, text, onText, onSubmit, onFiles, children }: ComposerFieldProps) {
  const [chosen, setChosen] = useState(0);
  const completions = completionsOf(text);
  const at = Math.min(chosen, completions.length - 1);
  const complete = (name: CommandName | undefined) => {
    if (name === undefined) return;
    onText(`/${name} `);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (completions.length > 0 && step !== undefined) {
      event.preventDefault();
      setChosen((at + step + completions.length) % completions.length);
    } else if (completions.length > 0 && (event.key === 'Tab' || isPartly(event, text, completions))) {
      event.preventDefault();
      complete(completions[at]);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      // A key that is held down is no second message.
      if (!event.repeat) onSubmit();
    }
  };
  const take = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (data.files.length === 0) return;
    event.preventDefault();
    onFiles([...data.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped anywhere on it; a button chooses them, too
    <div
      className="relative mx-auto w-full max-w-3xl rounded-lg border border-line bg-surface focus-within:border-accent"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      <Completions names={completions} chosen={at} onChoose={complete} />
      <textarea
        ref={field}
        aria-label="Message"
        aria-describedby="composer-keys"
        rows={2}
        placeholder="Message, or / for commands"
        className="field-sizing-content max-h-60 min-h-14 w-full resize-none bg-transparent px-3 pt-2.5 outline-none"
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={press}
        onPaste={(event) => take(event, event.clipboardData)}
      />
      <span id="composer-keys" className="sr-only">
        Enter sends, Shift and Enter begin a line.
      </span>
      {children}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Enter completes a command that is only begun, and sends one that is whole. */
function isPartly({ key, shiftKey }: KeyboardEvent, text: string, completions: readonly CommandName[]): boolean {
  return key === 'Enter' && !shiftKey && !completions.some((name) => text === `/${name}`);
}
