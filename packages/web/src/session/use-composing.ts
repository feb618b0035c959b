import type { Attachment } from '@ramet/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { describeError } from '../ui/states.tsx';
import { readFiles } from './attach.ts';
import { parseTyped } from './commands.ts';
import type { ComposerProps } from './composer.tsx';
import { useDraft } from './use-draft.ts';
import { useSend } from './use-send.ts';

const LEFT_OPEN = 'The turn is not over, and this daemon does not work on it: what you wrote is kept.';

/**
 * What was written and attached, and what sending it does. What is sent while this daemon works on a turn waits for the
 * end of it: an answer is read before the turn has ended, and whoever answers it then is not early.
 */
export function useComposing({ id, isBusy, onInterrupt, onSent, onCommand }: Omit<ComposerProps, 'field' | 'model'>) {
  const draft = useDraft(id);
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const { send, isSending, error } = useSend(id, () => {
    draft.setText('');
    setFiles([]);
    onSent();
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
    } else if (typed.kind === 'message' && !isSending) {
      if (!isBusy) send({ prompt: typed.text, attachments: files, settings: draft.settings });
      else if (onInterrupt !== undefined) setWaiting(true);
      else setProblem(LEFT_OPEN);
    }
  };
  const sendWaiting = useEffectEvent(() => {
    setWaiting(false);
    submit();
  });
  useEffect(() => {
    if (isWaiting && !isBusy) sendWaiting();
  }, [isWaiting, isBusy]);
  return {
    draft,
    files,
    problem: problem ?? (error === null ? null : describeError(error)),
    isSending,
    isWaiting: isWaiting && isBusy,
    submit,
    holdBack: () => setWaiting(false),
    take: (given: readonly File[]) => void take(given),
    leaveOut: (file: Attachment) => setFiles((before) => before.filter((other) => other !== file)),
  };
}
