/** Goes back and forth over the log of a run: the page shows the run as it was after the event. */
import { escapeLine } from '@ramet/core/text';
import { ChevronLeft, ChevronRight, Radio } from 'lucide-react';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Moment } from '../ui/time.tsx';
import type { Looked } from './use-moment.ts';

/** The slider, with steps to the neighbours and the way back to what is now. */
export function Scrubber({ looked: { events, live, moment, isLive, wanted, look } }: { readonly looked: Looked }) {
  const last = live.offset;
  const at = wanted ?? last;
  const go = (offset: number) => look(offset >= last ? null : Math.max(0, offset));
  const event = events[isLive ? last : moment.offset];
  const said = event === undefined ? 'nothing' : describe(event);
  return (
    <section
      aria-label="Moments of the run"
      className={`flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t px-3 py-1.5 ${isLive ? 'bg-surface' : 'bg-info-soft'}`}
    >
      <IconButton label="The event before" disabled={at <= 0} onClick={() => go(at - 1)}>
        <ChevronLeft aria-hidden size={16} />
      </IconButton>
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={`event ${Math.max(at, 0)} of ${Math.max(last, 0)}: ${said}`}
        className="h-6 min-w-24 flex-1 accent-accent"
        min={0}
        max={Math.max(last, 0)}
        value={Math.max(at, 0)}
        disabled={last <= 0}
        onChange={(change) => go(change.target.valueAsNumber)}
      />
      <IconButton label="The event after" disabled={isLive} onClick={() => go(at + 1)}>
        <ChevronRight aria-hidden size={16} />
      </IconButton>
      {!isLive && (
        <Button kind="primary" className="px-2!" onClick={() => look(null)}>
          <Radio aria-hidden size={14} /> Back to now
        </Button>
      )}
      <p className="flex w-full min-w-0 items-center gap-2 text-muted text-xs md:w-72">
        {isLive ? <Badge>now</Badge> : <Badge tone="busy">as it was</Badge>}
        <span className="min-w-0 flex-1 truncate tabular-nums" title={said}>
          {Math.max(isLive ? last : moment.offset, 0)} of {Math.max(last, 0)} · {said}
        </span>
        {event !== undefined && <Moment time={event.time} />}
      </p>
    </section>
  );
}

function describe({ type, node }: Looked['events'][number]): string {
  return typeof node === 'string' ? `${type} ${escapeLine(node)}` : type;
}
