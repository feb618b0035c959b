/** The events of a node, as the log has them. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/time.tsx';
import type { Looked } from '../use-moment.ts';
import { ValueView } from './value-view.tsx';

export interface NodeEventsProps {
  readonly id: string;
  readonly node: string;
  readonly looked: Looked;
}

const SHOWN = 50;

/** Those that were there at the moment, the latest first; each can be looked at, and its moment. */
export function NodeEvents({ id, node, looked }: NodeEventsProps) {
  const [count, setCount] = useState(SHOWN);
  const { timeline, moment, look } = looked;
  const offsets = timeline
    .eventsOf(node)
    .filter((offset) => offset <= moment.offset)
    .reverse();
  return (
    <>
      <ol className="divide-y divide-line rounded border border-line">
        {offsets.slice(0, count).map((offset) => (
          <OneEvent key={offset} id={id} offset={offset} looked={looked} onLook={() => look(offset)} />
        ))}
      </ol>
      {offsets.length > count && (
        <Button className="mt-1 text-xs" onClick={() => setCount(count + SHOWN)}>
          {offsets.length - count} more
        </Button>
      )}
    </>
  );
}

interface OneEventProps {
  readonly id: string;
  readonly offset: number;
  readonly looked: Looked;
  readonly onLook: () => void;
}

function OneEvent({ id, offset, looked: { events }, onLook }: OneEventProps) {
  const [isOpen, setOpen] = useState(false);
  const event = events[offset];
  if (event === undefined) return null;
  const { seq: _, prev: __, time, type, node: ___, ...rest } = event;
  return (
    <li>
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary className="flex cursor-pointer items-center gap-2 px-2 py-1 text-xs hover:bg-raised">
          <span className="w-12 shrink-0 text-right text-muted tabular-nums">{offset}</span>
          <span className="min-w-0 flex-1 truncate font-mono">{type}</span>
          <span className="text-muted">
            <Moment time={time} />
          </span>
        </summary>
        {isOpen && (
          <div className="space-y-1.5 border-line border-t p-2">
            <ValueView id={id} value={rest} />
            <Button className="text-xs" onClick={onLook}>
              Show the run at this moment
            </Button>
          </div>
        )}
      </details>
    </li>
  );
}
