import type { Comparison } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { renderName } from '../data/names.ts';
import { useShortIds } from '../data/short-ids.ts';
import { Badge } from '../ui/badge.tsx';
import { renderCost, renderTokens } from '../ui/usage.ts';
import { renderDuration } from './duration.ts';

/** What a session did after the parting, in numbers. */
export function SideFacts({ side }: { readonly side: Comparison['left'] }) {
  const { id, title, model, turns, calls, durationMs, own, damaged } = side;
  const shortId = useShortIds();
  const { usage } = own;
  const made = Object.entries(calls).filter(([, count]) => count > 0);
  return (
    <div className="rounded-md border border-line bg-surface p-3">
      <h2 className="flex items-baseline gap-2">
        <Link to="/s/$id" params={{ id }} className="min-w-0 truncate font-semibold hover:underline">
          {renderName(title)}
        </Link>
        <span className="shrink-0 font-mono text-muted text-xs">{shortId(id)}</span>
        {damaged && <Badge tone="bad">damaged</Badge>}
      </h2>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
        <Fact name="Model">{model === undefined ? 'not known' : escapeLine(model)}</Fact>
        <Fact name="Own turns">
          {turns.begun}
          {turns.begun > turns.ended && `, ${turns.begun - turns.ended} not ended`}
        </Fact>
        <Fact name="Time">{turns.ended === 0 ? '–' : renderDuration(durationMs)}</Fact>
        <Fact name="Cost">{renderCost(usage)}</Fact>
        <Fact name="Tokens">
          {usage.replies === 0
            ? '–'
            : usage.unknownUsage >= usage.replies
              ? '?'
              : `${renderTokens(usage.inputTokens)} in, ${renderTokens(usage.outputTokens)} out${usage.unknownUsage > 0 ? ' + ?' : ''}`}
        </Fact>
        <Fact name="Calls">
          {made.length === 0
            ? 'none'
            : made.map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`).join(', ')}
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="told min-w-0 tabular-nums">{children}</dd>
    </>
  );
}
