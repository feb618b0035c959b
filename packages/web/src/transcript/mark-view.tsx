/** What happened to the session itself: it was forked, its files were restored, its log was repaired. */
import type { EventOf } from '@ramet/core/events';
import { escapeLine, renderCount } from '@ramet/core/text';
import { Link } from '@tanstack/react-router';
import { Cpu, GitFork, RotateCcw, Wrench } from 'lucide-react';
import { Age } from '../ui/time.tsx';
import { useFrame } from './context.ts';
import type { MarkItem } from './types.ts';

/** One mark. */
export function MarkView({ item: { event } }: { readonly item: MarkItem }) {
  switch (event.type) {
    case 'session.fork':
      return <ForkMark event={event} />;
    case 'workspace.restore':
      return <RestoreMark event={event} />;
    case 'session.config':
      return (
        <p className={LINE}>
          <Cpu aria-hidden size={13} />{' '}
          <span className="told">The model is now {escapeLine(String(event.model.name))}</span>
        </p>
      );
    case 'log.repair':
      return (
        <p className={LINE}>
          <Wrench aria-hidden size={13} /> The log was repaired after a crash:{' '}
          {event.kept ? 'its last event was kept' : `${event.droppedBytes} bytes of half an event were dropped`}
        </p>
      );
  }
}

const LINE = 'flex items-center gap-1.5 text-muted text-xs';

function ForkMark({ event }: { readonly event: EventOf<'session.fork'> }) {
  const { shortId } = useFrame();
  const writes = event.outstanding?.length ?? 0;
  return (
    <div className="flex items-center gap-2 py-1 text-accent text-xs">
      <span aria-hidden className="h-px flex-1 bg-accent/40" />
      <GitFork aria-hidden size={13} />
      <span>
        Forked from{' '}
        <Link to="/s/$id" params={{ id: event.parent }} className="font-mono underline">
          {shortId(event.parent)}
        </Link>{' '}
        at {event.offset}, <Age time={event.time} /> ago
        {writes > 0 && `; ${renderCount(writes, 'write')} after that were not undone`}
      </span>
      <span aria-hidden className="h-px flex-1 bg-accent/40" />
    </div>
  );
}

const RESTORED = {
  restored: 'The files are as they were at the fork',
  fresh: 'The files begin anew: those of the fork point could not be restored',
  shared: 'The folder is shared with its parent: its files were not restored',
} as const;

function RestoreMark({ event }: { readonly event: EventOf<'workspace.restore'> }) {
  return (
    <p className={LINE}>
      <RotateCcw aria-hidden size={13} className="shrink-0" />
      <span className="told">
        {RESTORED[event.outcome] ?? event.outcome}
        {event.reason !== undefined && ` (${escapeLine(String(event.reason))})`}
      </span>
    </p>
  );
}
