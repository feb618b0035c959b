/** Editors for what a fork may change. What is typed counts once it was checked: the plan is made anew with it. */
import type { Graph } from '@ramet/core/graph';
import type { NodeView } from '@ramet/core/runs';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { AreaField, SelectField } from '../../ui/field.tsx';
import type { Nodes } from '../timeline.ts';
import { type ChangeDraft, type Changes, NO_CHANGES, readChanges } from './changes.ts';

export interface ChangeFormProps {
  /** The node to fork at, with its input as it was. */
  readonly node: string;
  readonly input: unknown;
  /** Offset of its entry: nodes that finished before may have another output. */
  readonly at: number;
  readonly nodes: Nodes;
  readonly graph: Graph | null;
  readonly draft: ChangeDraft;
  /** What was checked last. */
  readonly checked: ChangeDraft;
  readonly onChange: (draft: ChangeDraft) => void;
  readonly onCheck: (draft: ChangeDraft, changes: Changes) => void;
}

/** The form. */
export function ChangeForm(props: ChangeFormProps) {
  const { node, input, at, nodes, graph, draft, checked, onChange, onCheck } = props;
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const set = (change: Partial<ChangeDraft>) => onChange({ ...draft, ...change });
  const check = (next: ChangeDraft) => {
    const read = readChanges(next);
    setProblems(read.isOk ? new Map() : read.problems);
    if (read.isOk) onCheck(next, read.changes);
  };
  return (
    <div className="space-y-3 border-line border-t p-3">
      <Editor
        name={`Input of ${node}`}
        text={draft.input}
        initial={input}
        problem={problems.get('input')}
        onText={(text) => set({ input: text })}
      />
      <Outputs
        draft={draft}
        problems={problems}
        finished={finishedBefore(nodes, at)}
        onOutputs={(outputs) => set({ outputs })}
      />
      {graph !== null && (
        <Editor
          name="Document"
          text={draft.graph}
          initial={graph.document}
          problem={problems.get('graph')}
          onText={(text) => set({ graph: text })}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={draft === checked} onClick={() => check(draft)}>
          Check these changes
        </Button>
        {draft !== NO_CHANGES && (
          <Button
            kind="quiet"
            onClick={() => {
              onChange(NO_CHANGES);
              check(NO_CHANGES);
            }}
          >
            Change nothing
          </Button>
        )}
        {draft !== checked && <p className="text-muted text-xs">They count once they were checked.</p>}
      </div>
    </div>
  );
}

interface EditorProps {
  readonly name: string;
  /** Null: it stays as it was. */
  readonly text: string | null;
  readonly initial: unknown;
  readonly problem: string | undefined;
  readonly onText: (text: string | null) => void;
}

function Editor({ name, text, initial, problem, onText }: EditorProps) {
  if (text === null) {
    return (
      <Button className="mr-2 text-xs" onClick={() => onText(JSON.stringify(initial ?? null, null, 2))}>
        Change: {name}
      </Button>
    );
  }
  return (
    <div>
      <AreaField
        label={name}
        rows={6}
        spellCheck={false}
        className="font-mono text-xs"
        aria-invalid={problem !== undefined}
        value={text}
        onChange={(event) => onText(event.target.value)}
        {...(problem === undefined ? {} : { hint: <span className="text-danger">This is {problem}</span> })}
      />
      <Button kind="quiet" className="text-xs" onClick={() => onText(null)}>
        Leave it as it was
      </Button>
    </div>
  );
}

interface OutputsProps {
  readonly draft: ChangeDraft;
  readonly problems: ReadonlyMap<string, string>;
  readonly finished: readonly NodeView[];
  readonly onOutputs: (outputs: ReadonlyMap<string, string>) => void;
}

function Outputs({ draft: { outputs }, problems, finished, onOutputs }: OutputsProps) {
  const open = finished.filter(({ node }) => !outputs.has(node));
  const change = (node: string, text: string | null) => {
    const after = new Map(outputs);
    if (text === null) after.delete(node);
    else after.set(node, text);
    onOutputs(after);
  };
  return (
    <>
      {[...outputs].map(([node, text]) => (
        <Editor
          key={node}
          name={`Output of ${node}`}
          text={text}
          initial={null}
          problem={problems.get(`output ${node}`)}
          onText={(next) => change(node, next)}
        />
      ))}
      {open.length > 0 && (
        <SelectField
          label="Change the output of a node that finished before"
          value=""
          onChange={({ target: { value } }) => {
            const view = open.find(({ node }) => node === value);
            if (view !== undefined) change(view.node, JSON.stringify(view.output ?? null, null, 2));
          }}
        >
          <option value="">choose a node…</option>
          {open.slice(0, MOST_CHOICES).map(({ node }) => (
            <option key={node} value={node}>
              {node}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}

/** A longer list is of no use to anybody; the command line takes any node. */
const MOST_CHOICES = 500;

function finishedBefore(nodes: Nodes, at: number): readonly NodeView[] {
  return [...nodes.values()].filter(({ state, end }) => state === 'ok' && end !== undefined && end.offset < at);
}
