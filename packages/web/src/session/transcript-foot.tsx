/** What is below the last event of a session: what streams, what waits for a person, how an open turn goes on. */

import type { Live, StartedTurn } from '@ramet/client';
import { escapeText } from '@ramet/core/text';
import { LoaderCircle } from 'lucide-react';
import { memo } from 'react';
import { OutcomeCard } from '../calls/outcome-card.tsx';
import { useAction } from '../data/action.ts';
import type { LiveText } from '../log/live-text.ts';
import type { LogView } from '../log/run-log.ts';
import type { CallItem, Transcript } from '../transcript/types.ts';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/states.tsx';
import { readSettings } from './draft.ts';
import { unknownCallsOf } from './unknown-calls.ts';

export interface TranscriptFootProps {
  readonly id: string;
  readonly view: LogView;
  readonly transcript: Transcript;
}

/** The foot. */
export function TranscriptFoot({ id, view, transcript }: TranscriptFootProps) {
  const { live, state, end, error } = view;
  const isOpen = transcript.open !== null;
  return (
    <div className="space-y-3">
      {live.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only the last one grows, and none is moved
        <Streaming key={index} live={text} />
      ))}
      {isOpen && state?.owner === 'daemon' && state.asks.length === 0 && live.length === 0 && <Working />}
      {isOpen && end === undefined && state?.owner === 'none' && (
        <LeftOpen id={id} calls={unknownCallsOf(transcript)} />
      )}
      {state?.owner === 'other' && (
        <p className="rounded border border-line bg-raised px-3 py-2">
          Another process works on this session. What it records is shown here as it comes.
        </p>
      )}
      {state?.error !== undefined && <DidNotBegin error={state.error} />}
      {end !== undefined && <Ended end={end} />}
      {error !== undefined && <Trouble error={error} />}
    </div>
  );
}

const Streaming = memo(function Streaming({ live: { kind, text } }: { readonly live: LiveText }) {
  if (kind === 'notice') return <p className="told px-1.5 text-muted text-xs">{escapeText(text)}</p>;
  const look = {
    text: 'px-1 pl-7',
    reasoning: 'max-h-40 overflow-hidden pl-7 text-muted text-xs',
    output: 'max-h-64 overflow-auto rounded bg-raised p-2 font-mono text-xs',
  }[kind];
  return (
    <div aria-live="off" className={`told ${look}`}>
      {escapeText(text.slice(-SHOWN_CHARACTERS))}
      {kind === 'text' && (
        <span aria-hidden className="ml-0.5 inline-block h-3.5 w-1.5 animate-pulse bg-accent align-middle" />
      )}
    </div>
  );
});

/** Of a stream its end is looked at. */
const SHOWN_CHARACTERS = 12_000;

function Working() {
  return (
    <p role="status" className="flex items-center gap-2 px-1.5 text-muted">
      <LoaderCircle aria-hidden size={14} className="animate-spin" /> Working…
    </p>
  );
}

function LeftOpen({ id, calls }: { readonly id: string; readonly calls: readonly CallItem[] }) {
  const { mutate, isPending, isSuccess, error } = useAction<void, StartedTurn>({
    id,
    run: (api) => api.call('continueTurn', { path: { id }, body: readSettings(id) }),
  });
  return (
    <div className="space-y-3">
      {calls.map(({ key, tool, intent, call }) =>
        intent === undefined ? null : (
          <OutcomeCard key={key} id={id} offset={intent.seq} tool={tool} input={call?.entry.input ?? intent.input} />
        ),
      )}
      {calls.length === 0 && (
        <div className="flex flex-wrap items-center gap-2 rounded border border-line bg-raised px-3 py-2">
          <p className="min-w-0 flex-1">This turn is not over, and nobody works on it. Everything of it is recorded.</p>
          <Button kind="primary" disabled={isPending || isSuccess} onClick={() => mutate()}>
            Go on
          </Button>
        </div>
      )}
      {error !== null && <Trouble error={error} />}
    </div>
  );
}

function DidNotBegin({ error }: { readonly error: NonNullable<Live['error']> }) {
  return (
    <div role="alert" className="rounded border border-danger/40 bg-danger-soft px-3 py-2">
      <p className="font-medium text-danger">It did not begin: {error.code.replaceAll('_', ' ')}</p>
      <p className="told">{escapeText(error.message)}</p>
    </div>
  );
}

function Ended({ end }: { readonly end: NonNullable<LogView['end']> }) {
  const text = {
    removed: 'This session was removed.',
    damaged:
      'The log is damaged from here on. What is above is as it was written: turns that ended there can be forked.',
  }[end.reason];
  return (
    <div role="alert" className="rounded border border-danger/40 bg-danger-soft px-3 py-2">
      <p>{text ?? 'The log cannot be read on.'}</p>
      {end.detail !== undefined && <p className="told text-xs">{end.detail}</p>}
    </div>
  );
}
