import type { SessionDetail } from '@ramet/client';
import { useMemo, useState } from 'react';
import { useShortIds } from '../data/short-ids.ts';
import type { HeldLog } from '../log/use-run-log.ts';
import { TranscriptContext } from '../transcript/context.ts';
import { TranscriptList } from '../transcript/transcript-list.tsx';
import type { Transcript } from '../transcript/types.ts';
import { Empty, Loading } from '../ui/states.tsx';
import { TranscriptFoot } from './transcript-foot.tsx';

export interface ConversationProps {
  readonly detail: SessionDetail;
  readonly log: HeldLog;
  /** Null until enough is known to build it. */
  readonly transcript: Transcript | null;
  readonly onFork: (at: number) => void;
  readonly onChanges: (at: number) => void;
  /** How many messages were sent from this page: each brings its end into sight. */
  readonly sent: number;
}

/** The transcript of a session, and below it what happens now. */
export function Conversation({ detail, log, transcript, onFork, onChanges, sent }: ConversationProps) {
  const { id, turns } = detail;
  const shortId = useShortIds();
  const [folds] = useState(() => new Map<string, boolean>());
  const ownFrom = (turns.findLast(({ inherited }) => inherited)?.end?.offset ?? -1) + 1;
  const { view, loadEarlier } = log;
  const isDriven = view.state?.owner !== 'none';
  const frame = useMemo(
    () => ({ id, ownFrom, isDriven, shortId, onFork, onChanges, folds }),
    [id, ownFrom, isDriven, shortId, onFork, onChanges, folds],
  );
  if (transcript === null || (!view.isLoaded && view.error === undefined && view.end === undefined)) {
    return (
      <div className="min-h-0 flex-1">
        <Loading what="the conversation" />
      </div>
    );
  }
  return (
    <TranscriptContext value={frame}>
      <TranscriptList
        transcript={transcript}
        hasEarlier={view.first > 0}
        onEarlier={loadEarlier}
        newest={`${view.first + view.events.length} ${view.live.length}`}
        jump={sent}
      >
        {transcript.items.length === 0 && view.error === undefined && <Empty title="Nothing was said yet" />}
        <TranscriptFoot id={id} view={view} transcript={transcript} />
      </TranscriptList>
    </TranscriptContext>
  );
}
