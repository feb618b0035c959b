/** Where a session came from, and what grew from it. */

import type { SessionDetail } from '@ramet/client';
import { Link } from '@tanstack/react-router';
import { ArrowUpLeft, GitFork, Split } from 'lucide-react';
import type { ReactNode } from 'react';
import { CompareLink } from '../compare/compare-link.tsx';
import { renderName, useNames } from '../data/names.ts';
import { type Row, useRows } from '../data/rows.ts';
import { useShortIds } from '../data/short-ids.ts';
import { addressOf } from '../list/address.ts';
import { Empty } from '../ui/states.tsx';
import { Age } from '../ui/time.tsx';

/** The panel. */
export function LineagePanel({ detail }: { readonly detail: SessionDetail }) {
  const { id: own, forkedFrom, forks } = detail;
  const { data } = useRows();
  const shortId = useShortIds();
  const nameOf = useNames();
  const rowOf = (id: string) => data?.find((row) => row.id === id);
  if (forkedFrom === undefined && forks.length === 0) {
    return <Empty title="No forks yet">Every message whose turn has ended has a control that forks after it.</Empty>;
  }
  return (
    <div className="space-y-4 p-3">
      {forkedFrom !== undefined && (
        <Part title="It came from">
          <Relative
            icon={<ArrowUpLeft aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />}
            name={shortId(forkedFrom.id)}
            place={`at ${forkedFrom.offset}`}
            title={
              forkedFrom.removed
                ? 'It was removed; everything of it is here'
                : nameOf(forkedFrom.id, rowOf(forkedFrom.id)?.title ?? '')
            }
            address={
              forkedFrom.removed
                ? null
                : addressOf({ kind: rowOf(forkedFrom.id)?.kind ?? 'session', id: forkedFrom.id })
            }
            {...(rowOf(forkedFrom.id)?.kind === 'session' ? { compared: { left: forkedFrom.id, right: own } } : {})}
          />
        </Part>
      )}
      <Siblings detail={detail} rows={data ?? []} />
      {forks.length > 0 && (
        <Part title="Forks that grew from it">
          {forks.map(({ id, kind, offset, title }) => {
            const row = rowOf(id);
            return (
              <Relative
                key={id}
                icon={<GitFork aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />}
                name={shortId(id)}
                place={placeOf(detail, offset)}
                title={nameOf(id, title)}
                address={addressOf({ kind, id })}
                {...(kind === 'session' ? { compared: { left: own, right: id } } : {})}
                age={row === undefined ? null : <Age time={row.createdAt} />}
              />
            );
          })}
        </Part>
      )}
    </div>
  );
}

/** Sessions that were forked from the same one. */
function Siblings({
  detail: { id: own, forkedFrom },
  rows,
}: {
  readonly detail: SessionDetail;
  readonly rows: readonly Row[];
}) {
  const shortId = useShortIds();
  const siblings = rows.filter(
    ({ id, kind, origin }) => kind === 'session' && id !== own && origin !== undefined && origin.id === forkedFrom?.id,
  );
  if (siblings.length === 0) return null;
  return (
    <Part title="Forked from the same session">
      {siblings.map(({ id, title, origin, createdAt }) => (
        <Relative
          key={id}
          icon={<Split aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />}
          name={shortId(id)}
          place={`at ${origin?.offset}`}
          title={renderName(title)}
          address={addressOf({ kind: 'session', id })}
          compared={{ left: own, right: id }}
          age={<Age time={createdAt} />}
        />
      ))}
    </Part>
  );
}

function placeOf({ turns }: SessionDetail, offset: number): string {
  const turn = turns.find(({ end }) => end?.offset === offset);
  return turn === undefined ? `at ${offset}` : `after turn ${turn.turn}`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 font-medium text-muted text-xs">{title}</h2>
      <div className="space-y-0.5">{children}</div>
    </section>
  );
}

interface RelativeProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly place: string;
  readonly title: string;
  /** Null: it is not there any more. */
  readonly address: ReturnType<typeof addressOf> | null;
  readonly age?: ReactNode;
  /** The two sessions that can be looked at side by side. */
  readonly compared?: { readonly left: string; readonly right: string };
}

function Relative({ icon, name, place, title, address, age, compared }: RelativeProps) {
  const text = (
    <span className="min-w-0">
      <span className="told line-clamp-2">{title}</span>
      <span className="block text-muted text-xs">
        <span className="font-mono">{name}</span> {place} {age !== undefined && age !== null && <>· {age} old</>}
      </span>
    </span>
  );
  const look = 'flex min-w-0 flex-1 gap-2 rounded px-1.5 py-1';
  if (address === null) {
    return (
      <p className={look}>
        {icon}
        {text}
      </p>
    );
  }
  return (
    <div className="flex items-center">
      <Link {...address} className={`${look} hover:bg-raised`}>
        {icon}
        {text}
      </Link>
      {compared !== undefined && <CompareLink {...compared} label={`Compare with ${name}`} />}
    </div>
  );
}
