/** What a session or a run used itself, and what it inherited: its parents paid for that. */
import type { SessionDetail, Usage } from '@ramet/client';
import { renderBytes } from '@ramet/core/text';
import { renderCost } from '../ui/usage.ts';

const LINES: readonly (readonly [keyof Usage, string])[] = [
  ['replies', 'Replies'],
  ['inputTokens', 'Tokens in'],
  ['cacheReadTokens', 'of them from a cache'],
  ['outputTokens', 'Tokens out'],
  ['reasoningTokens', 'of them thoughts'],
];

export interface UsagePanelProps {
  /** A session or a run. */
  readonly detail: Pick<SessionDetail, 'own' | 'inherited' | 'bytes' | 'events'>;
}

/** The panel. */
export function UsagePanel({ detail: { own, inherited, bytes, events } }: UsagePanelProps) {
  return (
    <div className="p-3">
      <table className="w-full tabular-nums">
        <thead>
          <tr className="border-line border-b text-right text-muted text-xs">
            <th scope="col" className="text-left font-normal">
              <span className="sr-only">What</span>
            </th>
            <th scope="col" className="py-1 font-medium">
              Own
            </th>
            <th scope="col" className="py-1 pl-4 font-medium">
              Inherited
            </th>
          </tr>
        </thead>
        <tbody className="text-right">
          <tr>
            <th scope="row" className="py-1 text-left font-normal">
              Cost
            </th>
            <td className="font-medium">{renderCost(own.usage)}</td>
            <td className="pl-4 text-muted">{renderCost(inherited.usage)}</td>
          </tr>
          {LINES.map(([name, label]) => (
            <tr key={name}>
              <th
                scope="row"
                className={`py-0.5 text-left font-normal ${label.startsWith('of') ? 'pl-3 text-muted' : ''}`}
              >
                {label}
              </th>
              <td>{renderNumber(own.usage[name])}</td>
              <td className="pl-4 text-muted">{renderNumber(inherited.usage[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 text-muted text-xs">
        {events.toLocaleString('en')} events; {renderBytes(bytes.own)} on disk are its own
        {bytes.shared > 0 && `, ${renderBytes(bytes.shared)} are shared with its relatives`}.
      </p>
    </div>
  );
}

function renderNumber(value: Usage[keyof Usage]): string {
  return typeof value === 'number' ? value.toLocaleString('en') : '–';
}
