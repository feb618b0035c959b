/**
 * What everything used, each reply counted once: under whoever made it, also when that was removed.
 *
 * 1. What is not known is never shown as nothing.
 */
import type { StoreUsage, Usage } from '@ramet/client';
import { renderCount } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { useNames } from '../data/names.ts';
import { useShortIds } from '../data/short-ids.ts';
import { addressOf } from '../list/address.ts';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { renderCost } from '../ui/usage.ts';
import { listUsage, renderCounted, type UsageRow } from './rows.ts';

/** The page at `/usage`. */
export function UsagePage() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: keys.usage,
    queryFn: ({ signal }) => api.call('readUsage', {}, signal),
  });
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-5xl p-4">
        <h1 className="font-semibold text-lg">Usage</h1>
        {error !== null && <Trouble error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Loading what="usage" />}
        {data !== undefined && <Shown usage={data} />}
      </div>
    </div>
  );
}

function Shown({ usage }: { readonly usage: StoreUsage }) {
  const { total, incomplete } = usage;
  const rows = listUsage(usage);
  return (
    <>
      <Totals total={total} />
      {incomplete.length > 0 && (
        <p role="alert" className="mb-3 rounded border border-danger/40 bg-danger-soft px-3 py-2">
          {renderCount(incomplete.length, 'log')} could not be read to the end, so that more was used than is shown:{' '}
          <span className="told font-mono text-xs">{incomplete.join(', ')}</span>
        </p>
      )}
      {rows.length === 0 ? <Empty title="No model was asked anything yet" /> : <Table rows={rows} />}
    </>
  );
}

function Totals({ total }: { readonly total: Usage }) {
  return (
    <>
      <dl className="my-3 grid grid-cols-2 gap-2 sm:grid-cols-4">
        <Total name="Cost">{renderCost(total)}</Total>
        <Total name="Replies">{total.replies.toLocaleString('en')}</Total>
        <Total name="Tokens in">{renderCounted(total, 'inputTokens')}</Total>
        <Total name="Tokens out">{renderCounted(total, 'outputTokens')}</Total>
      </dl>
      {(total.unknownCost > 0 || total.unknownUsage > 0) && (
        <p className="mb-3 text-muted text-xs">
          {total.unknownCost > 0 && `Of ${renderCount(total.unknownCost, 'reply', 'replies')} the price is not known. `}
          {total.unknownUsage > 0 &&
            `Of ${renderCount(total.unknownUsage, 'reply', 'replies')} the tokens are not known. `}
          “?” stands for what is not known.
        </p>
      )}
    </>
  );
}

function Total({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="rounded-md border border-line bg-surface px-3 py-2">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="font-semibold text-lg tabular-nums">{children}</dd>
    </div>
  );
}

function Table({ rows }: { readonly rows: readonly UsageRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section aria-label="Usage by session and run" tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-136 tabular-nums">
        <thead>
          <tr className="border-line border-b text-right text-muted text-xs">
            <th scope="col" className="py-1 text-left font-medium">
              Session or run
            </th>
            {['Cost', 'Replies', 'Tokens in', 'Tokens out', 'Inherited'].map((name) => (
              <th key={name} scope="col" className="py-1 pl-3 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className="border-line border-b text-right">
              <th scope="row" className="max-w-72 py-1.5 text-left font-normal">
                <Name row={row} />
              </th>
              <td className="pl-3 font-medium">{renderCost(row.own)}</td>
              <td className="pl-3">{row.own.replies.toLocaleString('en')}</td>
              <td className="pl-3">{renderCounted(row.own, 'inputTokens')}</td>
              <td className="pl-3">{renderCounted(row.own, 'outputTokens')}</td>
              <td className="pl-3 text-muted">{row.inherited === null ? '' : renderCost(row.inherited)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Name({ row: { id, kind, title } }: { readonly row: UsageRow }) {
  const shortId = useShortIds();
  const nameOf = useNames();
  const name = <span className="font-mono text-muted text-xs">{shortId(id)}</span>;
  if (kind === 'removed') {
    return <span className="text-muted">removed; its forks hold these replies {name}</span>;
  }
  return (
    <>
      <Link {...addressOf({ kind, id })} className="block truncate hover:underline">
        {nameOf(id, title)}
      </Link>
      {name} <span className="text-muted text-xs">{kind}</span>
    </>
  );
}
