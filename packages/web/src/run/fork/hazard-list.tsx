/**
 * The writes that the child of a fork would make again. Each is read and acknowledged on its own: there is no button for
 * several.
 */
import type { WriteHazard } from '@ramet/client';
import { renderJson } from '@ramet/core/text';
import { Badge } from '../../ui/badge.tsx';
import { BoundedText } from '../../ui/bounded-text.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Moment } from '../../ui/time.tsx';
import type { Acknowledgement } from './acknowledgement.ts';

export interface HazardListProps {
  readonly state: Acknowledgement;
  readonly onAcknowledge: (offset: number, isRead: boolean) => void;
}

/** The list. */
export function HazardList({ state: { writes, acknowledged, added }, onAcknowledge }: HazardListProps) {
  return (
    <ol className="space-y-3">
      {writes.map((write, index) => (
        <li
          key={write.offset}
          className={`rounded-md border ${added.has(write.offset) ? 'border-danger' : 'border-warn/60'}`}
        >
          <Hazard write={write} isAdded={added.has(write.offset)} />
          <div className="border-line border-t bg-warn-soft px-3 py-2">
            <CheckField
              label={`I read write ${index + 1} of ${writes.length}: ${write.tool} of ${write.node}, at ${write.offset}. The fork may make it again.`}
              checked={acknowledged.has(write.offset)}
              onChange={(event) => onAcknowledge(write.offset, event.target.checked)}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}

const RELATIONS: Readonly<Record<WriteHazard['relation'], string>> = {
  descends: 'comes after the fork point: the child makes it again',
  concurrent: 'ran at the same time as the fork point: the child makes it again, too',
};

function Hazard({ write, isAdded }: { readonly write: WriteHazard; readonly isAdded: boolean }) {
  const { node, tool, input, key, time, outcome, relation, straddles, offset } = write;
  return (
    <div className="space-y-2 p-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="told font-medium font-mono">{node}</span>
        <span className="font-mono text-xs">{tool}</span>
        <Badge tone={outcome === 'ok' ? 'plain' : 'warn'}>{outcome.replaceAll('_', ' ')}</Badge>
        {isAdded && <Badge tone="bad">came meanwhile</Badge>}
        {straddles && <Badge tone="warn">was at work at the fork point</Badge>}
      </p>
      <BoundedText isMono text={renderJson(input ?? null, 2)} className="rounded bg-raised p-2" />
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
        <dt className="text-muted">When</dt>
        <dd>
          <Moment time={time} />, at {offset}
        </dd>
        <dt className="text-muted">Key</dt>
        <dd className="break-all font-mono">{key}</dd>
        <dt className="text-muted">It</dt>
        <dd>{RELATIONS[relation]}</dd>
      </dl>
    </div>
  );
}
