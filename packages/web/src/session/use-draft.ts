import { useState } from 'react';
import { keepSettings, keepText, readSettings, readText, type TurnSettings } from './draft.ts';

export interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly settings: TurnSettings;
  readonly setSettings: (settings: TurnSettings) => void;
}

/** What was begun for a session; the component is another for another session (`key`). */
export function useDraft(id: string): Draft {
  const [text, setText] = useState(() => readText(id));
  const [settings, setSettings] = useState(() => readSettings(id));
  return {
    text,
    setText: (next) => {
      setText(next);
      keepText(id, next);
    },
    settings,
    setSettings: (next) => {
      setSettings(next);
      keepSettings(id, next);
    },
  };
}
