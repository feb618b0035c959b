/** Everything that waits for a person, over all sessions and runs: answered where it stands, or a click away. */
import type { InboxItem } from '@ramet/client';
import { renderCount } from '@ramet/core/text';
import { decoderOf } from '@ramet/core/transcript';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePause } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../app/api.tsx';
import { AskCard } from '../calls/ask-card.tsx';
import { OutcomeCard } from '../calls/outcome-card.tsx';
import { useInbox } from '../data/inbox.ts';
import { useNames } from '../data/names.ts';
import { useShortIds } from '../data/short-ids.ts';
import { GateCard } from '../gate/gate-card.tsx';
import { addressOf } from '../list/address.ts';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { Age } from '../ui/time.tsx';

/** The page at `/inbox`. */
export function InboxPage() {
  const { data, error, refetch } = useInbox();
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl p-4">
        <h1 className="font-semibold text-lg">Inbox</h1>
        {error !== null && <Trouble error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Loading what="what waits for you" />}
        {data?.items.length === 0 && (
          <Empty title="Nothing waits for you">
            Calls that ask, gates of runs, and work that was cut off are shown here as they come.
          </Empty>
        )}
        {data !== undefined && data.items.length > 0 && (
          <>
            <p className="mt-1 mb-3 text-muted">{renderCount(data.items.length, 'thing')}, what waits longest first</p>
            <ul className="space-y-5">
              {data.items.map((item) => (
                <li key={keyOf(item)}>
                  <Waiting item={item} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

function keyOf(item: InboxItem): string {
  const place = item.waits === 'approval' ? `${item.ask.node} ${item.ask.callId}` : 'offset' in item ? item.offset : '';
  return `${item.id} ${item.waits} ${place}`;
}

function Waiting({ item }: { readonly item: InboxItem }) {
  const { id, kind, title, since } = item;
  const shortId = useShortIds();
  const nameOf = useNames();
  return (
    <>
      <p className="mb-1 flex min-w-0 items-baseline gap-2">
        <Link {...addressOf({ kind, id })} className="min-w-0 truncate font-medium text-accent hover:underline">
          {nameOf(id, title)}
        </Link>
        <span className="shrink-0 font-mono text-muted text-xs">{shortId(id)}</span>
        <span className="ml-auto shrink-0 text-muted text-xs">
          <Age time={since} />
        </span>
      </p>
      <Answers item={item} />
    </>
  );
}

function Answers({ item }: { readonly item: InboxItem }): ReactNode {
  switch (item.waits) {
    case 'approval':
      return <AskCard id={item.id} ask={item.ask} />;
    case 'gate':
      return <GateCard id={item.id} gate={item} />;
    case 'outcome':
      return <Unknown item={item} />;
    case 'resume':
      return (
        <div className="flex items-start gap-2 rounded-md border border-line bg-surface px-3 py-2">
          <CirclePause aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
          <p className="told min-w-0 flex-1">
            It can be gone on with: {item.reason}.{' '}
            <Link {...addressOf(item)} className="text-accent underline">
              Look at it
            </Link>
          </p>
        </div>
      );
  }
}

const decode = decoderOf({ readPayload: () => null });

/** What the call was given is in its intent alone. */
function Unknown({ item: { id, offset, tool } }: { readonly item: InboxItem & { readonly waits: 'outcome' } }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['event', id, offset],
    queryFn: ({ signal }) => api.call('readEvents', { path: { id }, query: { from: offset, limit: 1 } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Loading what="the call" />;
  return <OutcomeCard id={id} offset={offset} tool={tool} input={decode(data.events[0]?.input)} />;
}
