/** A session: its conversation, what can be said to it, and what is known of it. */
import { ApiProblem, type SessionDetail } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { Navigate, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTitle } from '../app/use-title.ts';
import { useAction } from '../data/action.ts';
import { useSession } from '../data/session.ts';
import { useShortIds } from '../data/short-ids.ts';
import { ForkDialog } from '../fork/fork-dialog.tsx';
import { type HeldLog, useRunLog } from '../log/use-run-log.ts';
import { TranscriptContext } from '../transcript/context.ts';
import { TranscriptList } from '../transcript/transcript-list.tsx';
import type { Transcript } from '../transcript/types.ts';
import { useTranscript } from '../transcript/use-transcript.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { DiffDialog, type DiffRange } from '../workspace/diff-dialog.tsx';
import { rangeOf } from './boundaries.ts';
import type { CommandName } from './commands.ts';
import { Composer } from './composer.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { SessionHeader } from './session-header.tsx';
import { SideRail } from './side-rail.tsx';
import { TranscriptFoot } from './transcript-foot.tsx';

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
  const { view } = log;
  const { turns } = detail;
  const showChanges = useCallback((at: number) => setRange(rangeOf(turns, at)), [turns]);
  const latest = latestEndOf(detail, transcript);
  const rail = <SideRail detail={detail} onChanges={setRange} />;
  return (
    <div className="flex h-full min-w-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <SessionHeader
          detail={detail}
          connection={view.connection}
          onFork={latest === null ? null : () => setForkAt(latest)}
          onRail={() => setRailOpen(true)}
        />
        <Conversation detail={detail} log={log} transcript={transcript} onFork={setForkAt} onChanges={showChanges} />
        <Writing detail={detail} log={log} transcript={transcript} onFork={() => setForkAt(latest)} />
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
        turn={detail.turns.find(({ end }) => end?.offset === forkAt)?.turn}
        model={detail.model}
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

interface ConversationProps extends LoadedProps {
  readonly onFork: (at: number) => void;
  readonly onChanges: (at: number) => void;
}

function Conversation({ detail, log, transcript, onFork, onChanges }: ConversationProps) {
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
      <TranscriptList transcript={transcript} hasEarlier={view.first > 0} onEarlier={loadEarlier}>
        {transcript.items.length === 0 && view.error === undefined && <Empty title="Nothing was said yet" />}
        <TranscriptFoot id={id} view={view} transcript={transcript} />
      </TranscriptList>
    </TranscriptContext>
  );
}

interface WritingProps extends LoadedProps {
  readonly onFork: () => void;
}

function Writing({ detail, log, transcript, onFork }: WritingProps) {
  const { id, model, state } = detail;
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
  const owner = log.view.state?.owner ?? (state === 'running' ? 'daemon' : 'none');
  const runs: Readonly<Record<CommandName, (argument: string) => void>> = {
    fork: onFork,
    title: (title) => retitle.mutate(title),
    interrupt: () => interrupt.mutate(),
    compare: (other) => void navigate({ to: '/compare/$left/$right', params: { left: id, right: other } }),
    help: () => setHelp(true),
  };
  const error = interrupt.error ?? retitle.error;
  return (
    <div className="shrink-0 px-3 pb-3">
      {error !== null && <Trouble error={error} />}
      <Composer
        id={id}
        field={field}
        model={model}
        isBusy={transcript !== null && transcript.open !== null}
        {...(owner === 'daemon' ? { onInterrupt: () => interrupt.mutate() } : {})}
        onCommand={(name, argument) => runs[name](argument)}
      />
      <HelpDialog isOpen={isHelp} onClose={() => setHelp(false)} />
    </div>
  );
}
