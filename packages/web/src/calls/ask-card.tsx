/** A call that waits for a person's word, with the answers there are. */

import type { Ask, AskAnswer } from '@ramet/client';
import { escapeLine, escapeText } from '@ramet/core/text';
import { ShieldQuestion } from 'lucide-react';
import { useAction } from '../data/action.ts';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/states.tsx';
import { ToolInput } from './tool-input.tsx';
import { WriteList } from './write-list.tsx';

/** Asks whether a call may be made; `id` is the session or run that makes it. */
export function AskCard({ id, ask }: { readonly id: string; readonly ask: Ask }) {
  const { mutate, isPending, isSuccess, error } = useAction<AskAnswer>({
    id,
    run: (api, answer) => {
      const body = ask.node === undefined ? answer : { ...answer, node: ask.node };
      return api.call('answerApproval', { path: { id, callId: ask.callId }, body });
    },
  });
  const isDone = isPending || isSuccess;
  return (
    <section
      aria-label={`${escapeLine(ask.tool)} asks for permission`}
      className="rounded-md border border-warn/50 bg-surface"
    >
      <header className="flex items-start gap-2 rounded-t-md bg-warn-soft px-3 py-2">
        <ShieldQuestion aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
        <div className="min-w-0">
          <p className="font-medium">
            May <span className="font-mono">{escapeLine(ask.tool)}</span> do this?
          </p>
          <p className="told text-muted text-xs">{escapeText(ask.reason)}</p>
        </div>
      </header>
      <div className="max-h-80 overflow-auto">
        <ToolInput input={ask.input} />
      </div>
      {ask.outstanding.length > 0 && (
        <div className="border-line border-t p-3">
          <p className="mb-1.5">
            {ask.matches
              ? 'This very call was already made, and the fork did not undo it:'
              : 'Calls of this tool were already made, and the fork did not undo them:'}
          </p>
          <WriteList writes={ask.outstanding} />
        </div>
      )}
      <div className="flex flex-wrap gap-2 border-line border-t p-2.5">
        {ask.matches && (
          <Button kind="primary" disabled={isDone} onClick={() => mutate({ answer: 'reuse' })}>
            Use the old receipt
          </Button>
        )}
        <Button
          kind={ask.matches ? 'plain' : 'primary'}
          disabled={isDone}
          onClick={() => mutate({ answer: 'allow', scope: 'once' })}
        >
          {ask.matches ? 'Send it again' : 'Allow once'}
        </Button>
        <Button disabled={isDone} onClick={() => mutate({ answer: 'allow', scope: 'session' })}>
          Allow this call from now on
        </Button>
        <Button disabled={isDone} onClick={() => mutate({ answer: 'deny', scope: 'once' })}>
          Deny
        </Button>
      </div>
      {error !== null && <Trouble error={error} />}
    </section>
  );
}
