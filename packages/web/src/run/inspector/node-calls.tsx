/** The calls of a node: what each was given, and what it answered. */
import type { LoggedEvent } from '@ramet/core/events';
import type { NodeCallView, NodeView } from '@ramet/core/runs';
import { useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Looked } from '../use-moment.ts';
import { ValueView } from './value-view.tsx';

export interface NodeCallsProps {
  readonly id: string;
  readonly view: NodeView;
  readonly looked: Looked;
}

const SHOWN = 50;

const OUTCOMES: Readonly<Record<string, Tone>> = { ok: 'good', open: 'busy', error: 'bad', outcome_unknown: 'bad' };

/** The calls so far, the latest first. */
export function NodeCalls({ id, view, looked }: NodeCallsProps) {
  const [count, setCount] = useState(SHOWN);
  const calls = view.calls.toReversed();
  return (
    <>
      <ul className="divide-y divide-line rounded border border-line">
        {calls.slice(0, count).map((call) => (
          <li key={call.offset}>
            <OneCall id={id} call={call} looked={looked} offsets={looked.timeline.eventsOf(view.node)} />
          </li>
        ))}
      </ul>
      {calls.length > count && (
        <Button className="mt-1 text-xs" onClick={() => setCount(count + SHOWN)}>
          {calls.length - count} more
        </Button>
      )}
    </>
  );
}

interface OneCallProps {
  readonly id: string;
  readonly call: NodeCallView;
  readonly looked: Looked;
  readonly offsets: readonly number[];
}

function OneCall({ id, call, looked, offsets }: OneCallProps) {
  const [isOpen, setOpen] = useState(false);
  const { tool, effect, contained, outcome, offset, inherited } = call;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-0.5 px-2 py-1.5 hover:bg-raised">
        <span className="min-w-0 flex-1 font-mono text-xs">{tool}</span>
        <Badge tone={OUTCOMES[outcome] ?? 'warn'}>{outcome.replaceAll('_', ' ')}</Badge>
        <span className="w-full text-muted text-xs">
          {effect}
          {contained === true ? ', contained' : contained === false ? ', may leave the workspace' : ''} · at {offset}
          {inherited && ' · inherited'}
        </span>
      </summary>
      {isOpen && <CallValues id={id} call={call} looked={looked} offsets={offsets} />}
    </details>
  );
}

function CallValues({ id, call, looked, offsets }: OneCallProps) {
  const intent = looked.events[call.offset];
  const result = findResult(call, looked, offsets);
  return (
    <div className="space-y-2 border-line border-t p-2">
      <p className="font-medium text-xs">Given</p>
      <ValueView id={id} value={intent?.input} />
      <p className="break-all text-muted text-xs">
        Key <span className="font-mono">{String(intent?.key ?? '')}</span>
      </p>
      {result !== undefined && (
        <>
          <p className="font-medium text-xs">Answered, at {result.seq}</p>
          <ValueView id={id} value={outputOf(result)} />
        </>
      )}
    </div>
  );
}

/** The result that belongs to a call: the first after it with its id. */
function findResult({ offset, callId }: NodeCallView, { events, moment }: Looked, offsets: readonly number[]) {
  const at = offsets.find((seq) => {
    const event = events[seq];
    return seq > offset && event?.type === 'tool.result' && event.callId === callId;
  });
  return at === undefined || at > moment.offset ? undefined : events[at];
}

function outputOf({ output }: LoggedEvent): unknown {
  return typeof output === 'object' && output !== null && 'value' in output ? output.value : output;
}
