/** What a run waits for, each with its answers: gates, calls that ask, calls about which nobody knows. */

import { renderCount } from '@ramet/core/text';
import { decoderOf } from '@ramet/core/transcript';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { AskCard } from '../calls/ask-card.tsx';
import { OutcomeCard } from '../calls/outcome-card.tsx';
import type { RunFacts } from '../data/run.ts';
import { GateCard } from '../gate/gate-card.tsx';
import type { LogView } from '../log/run-log.ts';
import type { Moment } from './timeline.ts';

export interface WaitsPanelProps {
  readonly detail: RunFacts;
  readonly view: LogView;
  /** The run as it is now. */
  readonly live: Moment;
  /** Somebody looks back: what is filled in stays, and takes no space. */
  readonly isHidden: boolean;
}

const decode = decoderOf({ readPayload: () => null });

/** The panel; nothing while nothing waits. */
export function WaitsPanel({ detail, view, live, isHidden }: WaitsPanelProps) {
  const [isOpen, setOpen] = useState(true);
  const { id, calls } = detail;
  const gates = live.end === null ? openGatesOf(live) : [];
  const asks = view.state?.asks ?? [];
  const isOwned = (view.state?.owner ?? 'none') !== 'none';
  const unknown = isOwned ? [] : calls.filter(({ reason }) => reason === 'outcome_unknown');
  const pending = isOwned ? [] : calls.filter(({ reason }) => reason === 'approval_pending');
  const count = gates.length + asks.length + unknown.length + pending.length;
  const failure = view.state?.error;
  if (count === 0 && failure === undefined) return null;
  return (
    <section
      aria-label="What waits for you"
      hidden={isHidden}
      className="max-h-[50%] shrink-0 overflow-y-auto border-line border-b"
    >
      {failure !== undefined && (
        <p role="alert" className="told bg-danger-soft px-3 py-2 text-danger">
          It did not begin: {failure.message}
        </p>
      )}
      {count > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          className="sticky top-0 z-10 flex w-full items-center gap-1.5 bg-warn-soft px-3 py-1.5 text-left font-medium text-warn focus-visible:-outline-offset-2"
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDown aria-hidden size={14} className={isOpen ? '' : '-rotate-90'} />
          {renderCount(count, 'thing')} {count === 1 ? 'waits' : 'wait'} for you
        </button>
      )}
      {isOpen && count > 0 && (
        <div className="mx-auto max-w-3xl space-y-3 p-3">
          {asks.map((ask) => (
            <AskCard key={`${ask.node} ${ask.callId}`} id={id} ask={ask} />
          ))}
          {gates.map((gate) => (
            <GateCard key={gate.offset} id={id} gate={gate} />
          ))}
          {unknown.map(({ offset, tool }) => (
            <OutcomeCard key={offset} id={id} offset={offset} tool={tool} input={decode(view.events[offset]?.input)} />
          ))}
          {pending.map(({ offset, node, tool }) => (
            <p key={offset} className="told rounded border border-line bg-raised px-3 py-2">
              <span className="font-mono">{node}</span> asked whether <span className="font-mono">{tool}</span> may run,
              and nobody was there. Resume the run: it asks again.
            </p>
          ))}
        </div>
      )}
    </section>
  );
}

/** Gates without an answer, in the order in which they were met. */
function openGatesOf({ nodes }: Moment) {
  return [...nodes.values()].flatMap(({ node, state, gate }) =>
    state === 'waiting' && gate !== undefined && !('answer' in gate) ? [{ ...gate, node }] : [],
  );
}
