import type { StartedRun } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { Play, Square, SquareSlash } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../data/action.ts';
import { renderName } from '../data/names.ts';
import type { RunFacts } from '../data/run.ts';
import { useShortIds } from '../data/short-ids.ts';
import type { LogView } from '../log/run-log.ts';
import { Badge, StateBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Trouble } from '../ui/states.tsx';
import { renderCost } from '../ui/usage.ts';

export interface RunHeaderProps {
  readonly detail: RunFacts;
  readonly view: LogView;
  /** The rest of the page shows the run as it is now, not as it was. */
  readonly isLive: boolean;
  /** Shows what is known of the whole run. */
  readonly onAbout: () => void;
}

/** The name of a run, how it is, and what can be done with it as a whole. */
export function RunHeader({ detail, view, isLive, onAbout }: RunHeaderProps) {
  const { id, title, state, graph, forkedFrom, own } = detail;
  const shortId = useShortIds();
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-surface px-3 py-1.5">
      <div className="min-w-0 flex-1 basis-60">
        <div className="flex items-center gap-2">
          <h1 className="truncate font-semibold" title={title}>
            {renderName(title, graph.name ?? graph.hash.slice(0, 8))}
          </h1>
          {!isLive && <span className="text-muted text-xs">now:</span>}
          <StateBadge state={state} />
          {view.connection === 'offline' && (
            <span role="status">
              <Badge tone="warn">offline, trying again</Badge>
            </span>
          )}
        </div>
        <p className="truncate text-muted text-xs">
          <span className="font-mono">{shortId(id)}</span>
          {forkedFrom !== undefined && (
            <>
              {' · fork of '}
              <span className="font-mono">{shortId(forkedFrom.id)}</span> at {escapeLine(forkedFrom.fromNode)} (
              {forkedFrom.offset + 1})
            </>
          )}
          {' · '}
          {graph.name ?? graph.hash.slice(0, 8)} · {isLive ? '' : 'by now '}
          {renderCost(own.usage)}
        </p>
      </div>
      <Actions detail={detail} view={view} />
      <Button className="xl:hidden" onClick={onAbout}>
        About
      </Button>
    </header>
  );
}

const RESUMABLE: ReadonlySet<string> = new Set(['idle', 'parked', 'interrupted', 'failed']);
/** What is ended cannot be abandoned, nor what somebody works on. */
const KEPT: ReadonlySet<string> = new Set(['running', 'completed', 'abandoned', 'damaged']);

function Actions({ detail: { id, state }, view }: Pick<RunHeaderProps, 'detail' | 'view'>) {
  const [isAbandoning, setAbandoning] = useState(false);
  const owner = view.state?.owner ?? (state === 'running' ? 'daemon' : 'none');
  const resume = useAction<void, StartedRun>({
    id,
    run: (api) => api.call('resumeRun', { path: { id }, body: {} }),
  });
  const interrupt = useAction({ id, run: (api) => api.call('interrupt', { path: { id } }) });
  const error = resume.error ?? interrupt.error;
  return (
    <>
      {owner === 'daemon' && (
        <Button disabled={interrupt.isPending} onClick={() => interrupt.mutate()}>
          <Square aria-hidden size={13} /> Interrupt
        </Button>
      )}
      {owner === 'none' && RESUMABLE.has(state) && (
        <Button
          kind={state === 'parked' ? 'plain' : 'primary'}
          disabled={resume.isPending}
          onClick={() => resume.mutate()}
        >
          <Play aria-hidden size={13} /> {resume.isPending ? 'Resuming…' : 'Resume'}
        </Button>
      )}
      {owner === 'none' && !KEPT.has(state) && (
        <Button onClick={() => setAbandoning(true)}>
          <SquareSlash aria-hidden size={13} /> Abandon…
        </Button>
      )}
      {error !== null && (
        <div className="w-full">
          <Trouble error={error} />
        </div>
      )}
      <AbandonDialog id={id} isOpen={isAbandoning} onClose={() => setAbandoning(false)} />
    </>
  );
}

interface AbandonDialogProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function AbandonDialog({ id, isOpen, onClose }: AbandonDialogProps) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useAction({
    id,
    run: (api) => {
      const body = reason.trim() === '' ? {} : { reason: reason.trim() };
      return api.call('abandonRun', { path: { id }, body });
    },
    onDone: onClose,
  });
  const actions = (
    <>
      <Button onClick={onClose}>Keep it</Button>
      <Button kind="danger" disabled={isPending} onClick={() => mutate()}>
        Abandon it
      </Button>
    </>
  );
  return (
    <Dialog title="Abandon this run" isOpen={isOpen} onClose={onClose} actions={actions}>
      <div className="space-y-3 p-4">
        <p>It is never gone on with. It stays to be looked at, and can be forked at any node it entered.</p>
        <TextField
          label="Why"
          placeholder="may be left empty"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {error !== null && <Trouble error={error} />}
      </div>
    </Dialog>
  );
}
