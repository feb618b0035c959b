import type { Attachment } from '@ramet/client';
import { useState } from 'react';
import { makeKey, useAction } from '../data/action.ts';
import type { TurnSettings } from './draft.ts';

export interface Message {
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  readonly settings: TurnSettings;
}

/** Sends a message once: the same one, sent again because no answer came, begins no second turn. */
export function useSend(id: string, onSent: () => void) {
  const [last, setLast] = useState<{ readonly text: string; readonly key: string } | null>(null);
  const { mutate, isPending, error } = useAction<Message>({
    id,
    run: (api, { prompt, attachments, settings }) => {
      const body = { prompt, ...settings, ...(attachments.length === 0 ? {} : { attachments }) };
      const text = JSON.stringify(body);
      const key = last?.text === text ? last.key : makeKey();
      setLast({ text, key });
      return api.call('sendMessage', { path: { id }, body, key });
    },
    onDone: () => {
      setLast(null);
      onSent();
    },
  });
  return { send: mutate, isSending: isPending, error };
}
