/** Where a run came from, what was changed and acknowledged there, and what grew from it. */

import { renderJson } from '@ramet/core/text';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../data/names.ts';
import type { RunFacts } from '../../data/run.ts';
import { useShortIds } from '../../data/short-ids.ts';
import { addressOf } from '../../list/address.ts';
import { BoundedText } from '../../ui/bounded-text.tsx';
import { Empty } from '../../ui/states.tsx';

/** The panel. */
export function RunDescent({ detail: { forkedFrom, forks } }: { readonly detail: RunFacts }) {
  const shortId = useShortIds();
  const nameOf = useNames();
  if (forkedFrom === undefined && forks.length === 0) {
    return <Empty title="No forks yet">Every entry of a node has a control that forks there.</Empty>;
  }
  return (
    <div className="space-y-4 p-3">
      {forkedFrom !== undefined && <Origin origin={forkedFrom} name={shortId(forkedFrom.id)} />}
      {forks.length > 0 && (
        <section>
          <h2 className="mb-1 font-medium text-muted text-xs">Forks that grew from it</h2>
          <ul>
            {forks.map(({ id, kind, offset, title }) => (
              <li key={id}>
                <Link {...addressOf({ kind, id })} className="block rounded px-1.5 py-1 hover:bg-raised">
                  <span className="told line-clamp-2">{nameOf(id, title)}</span>
                  <span className="text-muted text-xs">
                    <span className="font-mono">{shortId(id)}</span> at {offset + 1}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface OriginProps {
  readonly origin: NonNullable<RunFacts['forkedFrom']>;
  readonly name: string;
}

function Origin({ origin, name }: OriginProps) {
  const { id, fromNode, offset, acknowledgedWrites, changes, removed } = origin;
  return (
    <section className="space-y-1">
      <h2 className="font-medium text-muted text-xs">It came from</h2>
      <p className="told">
        {removed ? (
          <span className="font-mono">{name}</span>
        ) : (
          <Link {...addressOf({ kind: 'run', id })} className="font-mono text-accent underline">
            {name}
          </Link>
        )}{' '}
        at <span className="font-mono">{fromNode}</span> ({offset + 1})
        {removed && '; it was removed, and everything of it that this run needs is here'}
      </p>
      <p className="text-muted">
        {acknowledgedWrites.length === 0
          ? 'No write was acknowledged.'
          : `Acknowledged writes: those at ${acknowledgedWrites.join(', ')}.`}
      </p>
      {changes !== undefined && (
        <>
          <p className="font-medium text-xs">Changed</p>
          <BoundedText isMono text={renderJson(changes, 2)} className="rounded bg-raised p-2" />
        </>
      )}
    </section>
  );
}
