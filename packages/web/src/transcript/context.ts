import { createContext, use } from 'react';

/** What every item of a transcript may need. */
export interface TranscriptFrame {
  /** The session, or the run of whose nodes it is one. */
  readonly id: string;
  /** Who said what begins a turn; absent: whoever looks at it. */
  readonly asker?: string;
  /** Events before this offset are inherited. */
  readonly ownFrom: number;
  /** Whether anybody works on the session now; absent where that is not known. */
  readonly isDriven?: boolean;
  readonly shortId: (id: string) => string;
  /** Opens the fork dialog at a turn's end; null: it is no place to fork at. */
  readonly onFork: ((at: number) => void) | null;
  /** Shows what a turn changed; null: that cannot be shown. */
  readonly onChanges: ((at: number) => void) | null;
  /** What was folded out, by key: an item that comes back into sight is as it was. */
  readonly folds: Map<string, boolean>;
}

export const TranscriptContext = createContext<TranscriptFrame | null>(null);

/** The frame of the transcript around a component. */
export function useFrame(): TranscriptFrame {
  const frame = use(TranscriptContext);
  if (frame === null) throw new Error('bug: an item is outside of a transcript');
  return frame;
}
