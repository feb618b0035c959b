/** A call that may have reached the outside and has no answer: a person says what became of it. */

import type { Resolution } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { CircleHelp } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../data/action.ts';
import { Button } from '../ui/button.tsx';
import { AreaField } from '../ui/field.tsx';
import { Trouble } from '../ui/states.tsx';
import { ToolInput } from './tool-input.tsx';

export interface OutcomeCardProps {
  /** The session or run. */
  readonly id: string;
  /** Of the call's intent. */
  readonly offset: number;
  readonly tool: string;
  readonly input: unknown;
}

/** Asks what became of a call. */
export function OutcomeCard({ id, offset, tool, input }: OutcomeCardProps) {
  const [result, setResult] = useState('');
  const { mutate, isPending, isSuccess, error } = useAction<Omit<Resolution, 'offset'>>({
    id,
    run: (api, resolution) => api.call('resolveCall', { path: { id }, body: { offset, ...resolution } }),
  });
  const isDone = isPending || isSuccess;
  return (
    <section aria-label={`What became of ${escapeLine(tool)}`} className="rounded-md border border-warn/50 bg-surface">
      <header className="flex items-start gap-2 rounded-t-md bg-warn-soft px-3 py-2">
        <CircleHelp aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
        <p className="min-w-0">
          <span className="font-medium">
            Did <span className="font-mono">{escapeLine(tool)}</span> happen?
          </span>{' '}
          It began, may have reached the outside, and no answer of it is recorded.
        </p>
      </header>
      <div className="max-h-60 overflow-auto">
        <ToolInput input={input} />
      </div>
      <div className="space-y-2 border-line border-t p-2.5">
        <AreaField
          label="What it answered, if it happened"
          rows={2}
          className="min-h-0 font-mono text-xs"
          value={result}
          onChange={(event) => setResult(event.target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <Button disabled={isDone} onClick={() => mutate({ resolution: 'happened', result: readResult(result) })}>
            It happened
          </Button>
          <Button disabled={isDone} onClick={() => mutate({ resolution: 'did_not_happen' })}>
            It did not happen
          </Button>
          <Button disabled={isDone} onClick={() => mutate({ resolution: 'retry' })}>
            Send it again
          </Button>
        </div>
      </div>
      {error !== null && <Trouble error={error} />}
    </section>
  );
}

/** JSON where it is JSON, else the text itself. */
function readResult(text: string): unknown {
  if (text.trim() === '') return 'a person says that this call took effect';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
