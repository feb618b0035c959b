/**
 * Forks a run at an entry of a node: first what would come back and what would be done again, then the fork.
 *
 * 1. Nothing is made before every write was acknowledged, each on its own.
 * 2. Writes that came meanwhile are shown, marked, and acknowledged like the others; what was acknowledged stays.
 */
import type { RunFork, WriteHazard } from '@ramet/client';
import type { LoggedEvent } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { renderCount } from '@ramet/core/text';
import { decoderOf } from '@ramet/core/transcript';
import { GitFork, TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Loading, Trouble } from '../../ui/states.tsx';
import type { Nodes } from '../timeline.ts';
import { acknowledge, addWrites, beginAcknowledgement, isAcknowledged, replaceWrites } from './acknowledgement.ts';
import { ChangeForm } from './change-form.tsx';
import { type Changes, NO_CHANGES } from './changes.ts';
import { HazardList, type HazardListProps } from './hazard-list.tsx';
import { RunForkPlan } from './run-fork-plan.tsx';
import { useMakeRunFork, useRunForkPlan } from './use-run-fork.ts';

export interface RunForkDialogProps {
  readonly id: string;
  /** Offset of the `node.enter` to fork at; null: closed. */
  readonly at: number | null;
  /** That event. */
  readonly event: LoggedEvent | undefined;
  readonly nodes: Nodes;
  readonly graph: Graph | null;
  readonly onClose: () => void;
}

/** The dialog. */
export function RunForkDialog(props: RunForkDialogProps) {
  const { id, at, event, onClose } = props;
  const node = typeof event?.node === 'string' ? event.node : '';
  return (
    <Dialog title={`Fork at ${node}`} isOpen={at !== null} onClose={onClose}>
      {at !== null && <Form key={`${id}.${at}`} {...props} at={at} node={node} />}
    </Dialog>
  );
}

type FormProps = RunForkDialogProps & { readonly at: number; readonly node: string };

const decode = decoderOf({ readPayload: () => null });

function Form({ id, at, node, event, nodes, graph, onClose }: FormProps) {
  const [draft, setDraft] = useState(NO_CHANGES);
  const [changed, setChanged] = useState<{ readonly draft: typeof NO_CHANGES; readonly changes: Changes }>({
    draft: NO_CHANGES,
    changes: {},
  });
  const { data: plan, error, refetch, isFetching, isPlaceholderData } = useRunForkPlan({ id, at }, changed.changes);
  const change = (
    <details className="rounded border border-line">
      <summary className="cursor-pointer px-3 py-1.5 font-medium hover:bg-raised">Change something first</summary>
      <ChangeForm
        {...{ node, at, nodes, graph }}
        input={decode(event?.input)}
        draft={draft}
        checked={changed.draft}
        onChange={setDraft}
        onCheck={(checked, changes) => setChanged({ draft: checked, changes })}
      />
    </details>
  );
  if (plan === undefined && error === null) return <Loading what="what a fork brings back" />;
  if (plan === undefined || error !== null) {
    return (
      <div className="space-y-3 p-4">
        <Trouble error={error} onRetry={() => void refetch()} />
        {change}
        <Button onClick={onClose}>Cancel</Button>
      </div>
    );
  }
  const isOld = (isFetching && isPlaceholderData) || draft !== changed.draft;
  return (
    <Planned {...{ id, at, plan, isOld, onClose }} changes={changed.changes} onStale={() => void refetch()}>
      {change}
    </Planned>
  );
}

interface PlannedProps {
  readonly id: string;
  readonly at: number;
  readonly plan: RunFork;
  /** The plan is that of other changes than those that stand in the form. */
  readonly isOld: boolean;
  readonly changes: Changes;
  readonly onStale: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const NO_WRITES: readonly WriteHazard[] = [];

function Planned({ id, at, plan, isOld, changes, onStale, onClose, children }: PlannedProps) {
  const writes = plan.writes ?? NO_WRITES;
  const [state, setState] = useState(() => beginAcknowledgement(writes));
  useEffect(() => setState((before) => replaceWrites(before, writes)), [writes]);
  const [title, setTitle] = useState('');
  const [isStarted, setStarted] = useState(true);
  const fork = useMakeRunFork({ id, at }, (refused) => {
    if (refused.length === 0) return;
    setState((before) => addWrites(before, refused));
    onStale();
  });
  const isReady = isAcknowledged(state) && !isOld && !fork.isPending && !fork.isSuccess;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) fork.mutate({ changes, acknowledged: [...state.acknowledged], title, isStarted });
  };
  const left = state.writes.length - state.acknowledged.size;
  return (
    <form className="flex min-h-0 flex-1 flex-col" onSubmit={submit}>
      <div className="min-h-0 flex-1 space-y-4 overflow-y-auto p-4">
        <RunForkPlan plan={plan} />
        {children}
        <Writes
          state={state}
          onAcknowledge={(offset, isRead) => setState((before) => acknowledge(before, offset, isRead))}
        />
        <TextField
          label="Title of the fork"
          placeholder="that of its parent"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <CheckField
          label="Go on with it at once"
          checked={isStarted}
          onChange={(event) => setStarted(event.target.checked)}
        />
        {fork.error !== null && <Trouble error={fork.error} />}
      </div>
      <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-line border-t px-4 py-2.5">
        <p role="status" className="mr-auto text-warn text-xs">
          {isOld ? 'Changes not checked yet' : left > 0 && `${renderCount(left, 'write')} not acknowledged yet`}
        </p>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={!isReady}>
          <GitFork aria-hidden size={14} /> {fork.isPending ? 'Forking…' : 'Fork'}
        </Button>
      </footer>
    </form>
  );
}

function Writes({ state, onAcknowledge }: HazardListProps) {
  if (state.writes.length === 0) return null;
  return (
    <section className="space-y-2">
      <h3 className="flex items-center gap-1.5 font-semibold text-warn">
        <TriangleAlert aria-hidden size={15} />
        {renderCount(state.writes.length, 'write')} may be made a second time
      </h3>
      <p className="text-muted">
        They left the workspace, and no fork undoes them. Read each, and say so; what you do not want twice, do not fork
        past.
      </p>
      <HazardList state={state} onAcknowledge={onAcknowledge} />
    </section>
  );
}
