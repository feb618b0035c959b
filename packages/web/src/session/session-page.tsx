/** A session: its conversation, what can be said to it, and what is known of it. */
import { ApiProblem, type SessionDetail } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { Navigate, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useTitle } from '../app/use-title.ts';
import { useSession } from '../data/session.ts';
import { ForkDialog } from '../fork/fork-dialog.tsx';
import { type HeldLog, useRunLog } from '../log/use-run-log.ts';
import type { Transcript } from '../transcript/types.ts';
import { useTranscript } from '../transcript/use-transcript.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { DiffDialog, type DiffRange } from '../workspace/diff-dialog.tsx';
import { rangeOf } from './boundaries.ts';
import { Conversation } from './conversation.tsx';
import { Questions } from './questions.tsx';
import { SessionHeader } from './session-header.tsx';
import { SideRail } from './side-rail.tsx';
import { Writing } from './writing.tsx';

/** The page at `/s/$id`. */
export function SessionPage() {
  const { id } = useParams({ from: '/s/$id' });
  return <OneSession key={id} id={id} />;
}

function OneSession({ id }: { readonly id: string }) {
  const { data: detail, error, refetch } = useSession(id);
  const log = useRunLog(id);
  const transcript = useTranscript(log.view, detail?.turns);
  useTitle(detail === undefined ? '' : escapeLine(detail.title));
  if (detail === undefined) {
    if (error instanceof ApiProblem && error.code === 'not_a_session')
      return <Navigate to="/r/$id" params={{ id }} replace />;
    if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
    return <Loading what="the session" />;
  }
  // Everything is asked for by the whole id, so that what changed is found again by it.
  if (detail.id !== id) return <Navigate to="/s/$id" params={{ id: detail.id }} replace />;
  return <Loaded detail={detail} log={log} transcript={transcript} />;
}

interface LoadedProps {
  readonly detail: SessionDetail;
  readonly log: HeldLog;
  readonly transcript: Transcript | null;
}

function Loaded({ detail, log, transcript }: LoadedProps) {
  const { id } = detail;
  const [forkAt, setForkAt] = useState<number | null>(null);
  const [range, setRange] = useState<DiffRange | null>(null);
  const [isRailOpen, setRailOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const { view } = log;
  const { turns } = detail;
  const showChanges = useCallback((at: number) => setRange(rangeOf(turns, at)), [turns]);
  const latest = latestEndOf(detail, transcript);
  const forkLatest = latest === null ? null : () => setForkAt(latest);
  const rail = <SideRail detail={detail} onChanges={setRange} />;
  return (
    <div className="flex h-full min-w-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <SessionHeader
          detail={detail}
          connection={view.connection}
          onFork={forkLatest}
          onRail={() => setRailOpen(true)}
        />
        <Conversation
          detail={detail}
          log={log}
          transcript={transcript}
          onFork={setForkAt}
          onChanges={showChanges}
          sent={sent}
        />
        <Questions id={id} asks={view.state?.asks ?? []} />
        <Writing
          detail={detail}
          isBusy={transcript !== null && transcript.open !== null}
          isDrivenHere={(view.state?.owner ?? (detail.state === 'running' ? 'daemon' : 'none')) === 'daemon'}
          onFork={forkLatest}
          onSent={() => setSent((count) => count + 1)}
        />
      </div>
      <aside
        aria-label="About this session"
        className="hidden w-80 shrink-0 flex-col border-line border-l bg-surface lg:flex"
      >
        {rail}
      </aside>
      <Dialog title="About this session" shape="drawer" isOpen={isRailOpen} onClose={() => setRailOpen(false)}>
        {rail}
      </Dialog>
      <ForkDialog
        id={id}
        at={forkAt}
        turn={turnEndingAt(forkAt, detail, transcript)}
        model={modelAt(forkAt, transcript)}
        onClose={() => setForkAt(null)}
      />
      <DiffDialog id={id} title="What changed" range={range} onClose={() => setRange(null)} />
    </div>
  );
}

/** The end of the latest turn that ended: told by the log first, and by the session where the log is not loaded. */
function latestEndOf({ lastEnd }: SessionDetail, transcript: Transcript | null): number | null {
  const ends = [...(transcript?.turns.values() ?? [])].flatMap(({ end }) => (end === null ? [] : [end]));
  return ends.at(-1) ?? lastEnd?.offset ?? null;
}

/** The model of the turn that ended at an offset, where that is loaded; a later turn may have another. */
function modelAt(at: number | null, transcript: Transcript | null): string | undefined {
  return [...(transcript?.turns.values() ?? [])].find(({ end }) => end !== null && end === at)?.model;
}

/** The number of the turn that ended at an offset; the one that ended just now is in the log before it is told elsewhere. */
function turnEndingAt(at: number | null, { turns }: SessionDetail, transcript: Transcript | null): number | undefined {
  const loaded = [...(transcript?.turns.values() ?? [])].find(({ end }) => end !== null && end === at);
  return loaded?.turn ?? turns.find(({ end }) => end?.offset === at)?.turn;
}
