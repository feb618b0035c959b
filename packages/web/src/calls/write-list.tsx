import type { OutstandingWrite } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { Badge } from '../ui/badge.tsx';
import { Moment } from '../ui/time.tsx';
import { summarizeInput } from './summary.ts';
import { ToolInput } from './tool-input.tsx';

/** Writes that left the workspace: what was sent, when, and how it ended. No fork undoes them. */
export function WriteList({ writes }: { readonly writes: readonly OutstandingWrite[] }) {
  return (
    <ul className="divide-y divide-line rounded border border-line">
      {writes.map((write) => (
        <li key={write.offset}>
          <details className="group">
            <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 px-2.5 py-1.5 hover:bg-raised">
              <span className="font-medium font-mono text-xs">{escapeLine(write.tool)}</span>
              <span className="told min-w-0 flex-1 basis-40 font-mono text-xs">{summarizeInput(write.input)}</span>
              <Badge tone={write.outcome === 'ok' ? 'plain' : 'warn'}>
                {escapeLine(write.outcome).replaceAll('_', ' ')}
              </Badge>
              <span className="text-muted text-xs">
                <Moment time={write.time} /> · at {write.offset}
              </span>
            </summary>
            <div className="border-line border-t bg-canvas">
              <ToolInput input={write.input} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
