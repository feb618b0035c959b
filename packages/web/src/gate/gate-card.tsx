/** A gate that waits for a person: what it asks, and a form made of what its answer must be. */
import type { AnsweredGate } from '@ramet/client';
import { DoorOpen } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import { useAction } from '../data/action.ts';
import { BoundedText } from '../ui/bounded-text.tsx';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/states.tsx';
import { beginDraft, readDraft } from './draft.ts';
import { fieldOf } from './field-model.ts';
import { SchemaField } from './schema-form.tsx';

export interface GateCardProps {
  /** The run. */
  readonly id: string;
  readonly gate: {
    readonly node: string;
    /** Of its `gate.open`. */
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
  };
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

/** Asks for the answer of a gate; the run goes on with it. */
export function GateCard({ id, gate: { node, offset, question, answerSchema } }: GateCardProps) {
  const field = useMemo(() => fieldOf(answerSchema), [answerSchema]);
  const [draft, setDraft] = useState(() => beginDraft(field));
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const { mutate, isPending, isSuccess, error } = useAction<unknown, AnsweredGate>({
    id,
    run: (api, answer) => api.call('answerGate', { path: { id }, body: { gate: offset, answer } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(field, draft);
    setProblems(read.isOk ? NO_PROBLEMS : read.problems);
    if (read.isOk) mutate(read.value);
  };
  return (
    <section aria-label={`Gate ${node}`} className="rounded-md border border-warn/50 bg-surface">
      <header className="flex items-start gap-2 rounded-t-md bg-warn-soft px-3 py-2">
        <DoorOpen aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
        <div className="min-w-0 flex-1">
          <p className="text-muted text-xs">
            Gate <span className="font-mono">{node}</span> asks
          </p>
          <BoundedText text={question} className="font-medium" />
        </div>
      </header>
      <form className="space-y-3 p-3" onSubmit={submit} noValidate>
        <SchemaField
          field={field}
          label="Answer"
          draft={draft}
          path=""
          isRequired
          problems={problems}
          onChange={setDraft}
        />
        <Button type="submit" kind="primary" disabled={isPending || isSuccess}>
          {isPending ? 'Answering…' : isSuccess ? 'Answered' : 'Answer'}
        </Button>
      </form>
      {error !== null && <Trouble error={error} />}
    </section>
  );
}
