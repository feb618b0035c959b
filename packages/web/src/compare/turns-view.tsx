/** A stretch of a transcript in the flow of the page: its beginning, and a way to see more. */
import type { LoggedEvent } from '@ramet/core/events';
import { useMemo, useState } from 'react';
import { useSession } from '../data/session.ts';
import { useShortIds } from '../data/short-ids.ts';
import { TranscriptBuilder } from '../transcript/builder.ts';
import { TranscriptContext } from '../transcript/context.ts';
import { ItemView } from '../transcript/item-view.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import type { EventRange } from './use-events.ts';
import { useEvents } from './use-events.ts';

const SHOWN = 60;

/** The turns told by a range of events. */
export function TurnsView(range: EventRange) {
  const { id, from } = range;
  const { data, error, refetch } = useEvents(range);
  const { data: detail } = useSession(id);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined || detail === undefined) return <Loading what="the conversation" />;
  const before = detail.turns.filter(({ start }) => start.offset < from);
  const end = before.at(-1)?.end;
  const isOpen = before.length > 0 && (end === null || end === undefined || end.offset >= from);
  return <Items id={id} events={data.events} isCut={data.isCut} turnsBefore={before.length} isOpen={isOpen} />;
}

interface ItemsProps {
  readonly id: string;
  readonly events: readonly LoggedEvent[];
  readonly isCut: boolean;
  readonly turnsBefore: number;
  readonly isOpen: boolean;
}

function Items({ id, events, isCut, turnsBefore, isOpen }: ItemsProps) {
  const [count, setCount] = useState(SHOWN);
  const shortId = useShortIds();
  const [folds] = useState(() => new Map<string, boolean>());
  const frame = useMemo(
    () => ({ id, ownFrom: 0, shortId, onFork: null, onChanges: null, folds }),
    [id, shortId, folds],
  );
  const { items, turns } = useMemo(() => {
    const builder = new TranscriptBuilder({ turnsBefore, isOpen });
    for (const event of events) builder.add(event);
    return builder.transcript;
  }, [events, turnsBefore, isOpen]);
  if (items.length === 0) return <Empty title="Nothing was said" />;
  return (
    <TranscriptContext value={frame}>
      {items.slice(0, count).map((item) => (
        <ItemView key={item.key} item={item} span={turns.get(item.turn)} />
      ))}
      {items.length > count && (
        <Button onClick={() => setCount(count + SHOWN)}>Show more ({items.length - count} left)</Button>
      )}
      {isCut && items.length <= count && <p className="text-muted">More of it is on its own page.</p>}
    </TranscriptContext>
  );
}
