/** The end of a turn: how it ended, what it changed, and a fork that begins there. */
import { escapeText, renderCount } from '@ramet/core/text';
import { FileDiff, GitFork } from 'lucide-react';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Moment } from '../ui/time.tsx';
import { renderTokens } from '../ui/usage.ts';
import { useFrame } from './context.ts';
import type { EndItem } from './types.ts';

const TONES: Readonly<Record<string, Tone>> = { completed: 'plain', interrupted: 'warn', failed: 'bad', limit: 'warn' };

/** One turn's end. */
export function EndView({ item }: { readonly item: EndItem }) {
  const { onFork, onChanges } = useFrame();
  const { event, turn, checkpoint } = item;
  return (
    <div>
      {event.reason !== 'completed' && onFork !== null && <HowToGoOn item={item} />}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b pb-2 text-muted text-xs">
        <Badge tone={TONES[event.reason] ?? 'plain'}>
          turn {turn} {event.reason}
        </Badge>
        <Moment time={event.time} />
        <Spent item={item} />
        <span className="flex-1" />
        {onChanges !== null && checkpoint !== undefined && changesOf(checkpoint) > 0 && (
          <Button kind="quiet" className="px-1.5! py-0.5! text-xs" onClick={() => onChanges(event.seq)}>
            <FileDiff aria-hidden size={13} /> {renderCount(changesOf(checkpoint), 'file')} changed
          </Button>
        )}
        {onFork !== null && (
          <Button kind="quiet" className="px-1.5! py-0.5! text-xs" onClick={() => onFork(event.seq)}>
            <GitFork aria-hidden size={13} /> Fork here
            <span className="sr-only">, after turn {turn}</span>
          </Button>
        )}
      </div>
    </div>
  );
}

function HowToGoOn({ item: { event } }: { readonly item: EndItem }) {
  const { error, reason, why } = event;
  return (
    <div className="mb-2 rounded border border-line bg-raised px-3 py-2">
      {error !== undefined && error.code !== reason && (
        <p className="told text-danger">
          {escapeText(`${String(error.code).replaceAll('_', ' ')}: ${String(error.message)}`)}
        </p>
      )}
      <p className="text-muted">
        {reason === 'failed' && 'Nothing of it is lost. Send a message to go on from here, or fork at an earlier turn.'}
        {reason === 'interrupted' && 'It was stopped. Send a message to go on from here.'}
        {reason === 'limit' && 'A limit was reached. Raise it in the settings below, then send a message to go on.'}
        {why !== undefined && ` (No checkpoint: ${String(why)}.)`}
      </p>
    </div>
  );
}

function Spent({ item: { startedAt, event, usage } }: { readonly item: EndItem }) {
  const seconds = startedAt === undefined ? null : (Date.parse(event.time) - Date.parse(startedAt)) / 1000;
  return (
    <span className="tabular-nums">
      {seconds !== null &&
        (seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`)}
      {usage.inputTokens + usage.outputTokens > 0 &&
        ` · ${renderTokens(usage.inputTokens)} in, ${renderTokens(usage.outputTokens)} out`}
    </span>
  );
}

function changesOf({ changed }: NonNullable<EndItem['checkpoint']>): number {
  return changed.added + changed.modified + changed.deleted;
}
