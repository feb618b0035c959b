/** One place of a walk, at the moment that is looked at. */
import type { NodePath } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import type { NodeView } from '@ramet/core/runs';
import { renderJson } from '@ramet/core/text';
import { GitFork, MessagesSquare } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { BoundedText } from '../../ui/bounded-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { Moment } from '../../ui/time.tsx';
import type { Looked } from '../use-moment.ts';
import { KindIcon } from '../walk/kind-icon.tsx';
import { StateMark } from '../walk/state-mark.tsx';
import { ConversationDialog } from './conversation-dialog.tsx';
import { NodeCalls } from './node-calls.tsx';
import { NodeEvents } from './node-events.tsx';
import { ValueView } from './value-view.tsx';

export interface NodeInspectorProps {
  readonly id: string;
  readonly graph: Graph | null;
  readonly path: NodePath;
  readonly looked: Looked;
  readonly isLeft: boolean;
  /** Opens the dialog that forks at an entry of a node. */
  readonly onFork: (offset: number) => void;
}

/** The inspector. */
export function NodeInspector(props: NodeInspectorProps) {
  const { graph, path, looked, isLeft } = props;
  const view = looked.moment.nodes.get(path);
  const placed = graph?.nodes.get(path.slice(path.lastIndexOf('/') + 1));
  return (
    <div className="space-y-4 p-3">
      <header>
        <div className="flex items-center gap-1.5">
          <KindIcon kind={placed?.node.kind ?? null} />
          <h2 className="told min-w-0 flex-1 font-mono font-semibold">{path}</h2>
          <StateMark state={view?.state ?? 'not reached'} kind={placed?.node.kind ?? null} isLeft={isLeft} />
        </div>
        {placed?.node.description !== undefined && (
          <p className="told mt-1 text-muted">{String(placed.node.description)}</p>
        )}
      </header>
      {view === undefined ? (
        <Empty title="It was not reached">{looked.isLive ? null : 'At this moment of the run.'}</Empty>
      ) : (
        <Reached {...props} view={view} />
      )}
      {placed !== undefined && (
        <details>
          <summary className="cursor-pointer font-medium text-xs">As the document has it</summary>
          <BoundedText isMono text={renderJson(placed.node, 2)} className="mt-1 rounded bg-raised p-2" />
        </details>
      )}
    </div>
  );
}

function Reached(props: NodeInspectorProps & { readonly view: NodeView }) {
  const { id, path, looked, view } = props;
  const entered = looked.events[view.visits.at(-1)?.offset ?? -1];
  const exited = view.end === undefined ? undefined : looked.events[view.end.offset];
  return (
    <>
      <Facts view={view} />
      <Visits {...props} />
      {view.kind === 'agent' && <Talk {...props} />}
      {entered !== undefined && (
        <Part title="Input">
          <ValueView id={id} value={entered.input} />
        </Part>
      )}
      {view.state === 'ok' && exited !== undefined && (
        <Part title="Output">
          <ValueView id={id} value={exited.output} />
        </Part>
      )}
      {view.calls.length > 0 && (
        <Part title="Calls">
          <NodeCalls id={id} view={view} looked={looked} />
        </Part>
      )}
      <details>
        <summary className="cursor-pointer font-medium text-xs">Its events</summary>
        <div className="mt-1">
          <NodeEvents id={id} node={path} looked={looked} />
        </div>
      </details>
    </>
  );
}

/** Why it is as it is. */
function Facts({
  view: { error, reason, retryAt, take, items, passes, gate, checkpoint },
}: {
  readonly view: NodeView;
}) {
  return (
    <>
      {error !== undefined && (
        <div className="rounded border border-danger/40 bg-danger-soft p-2">
          <p className="font-medium text-danger">{String(error.code).replaceAll('_', ' ')}</p>
          <BoundedText text={String(error.message)} />
        </div>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 empty:hidden">
        {reason !== undefined && <Fact name="Skipped">{reason}</Fact>}
        {retryAt !== undefined && (
          <Fact name="Tried again">
            <Moment time={retryAt} />
          </Fact>
        )}
        {take !== undefined && <Fact name="Takes">{take ?? 'no way'}</Fact>}
        {items !== undefined && (
          <Fact name="Items">
            {items.done} of {items.count} done{items.failed > 0 && `, ${items.failed} failed`}
          </Fact>
        )}
        {passes !== undefined && <Fact name="Passes">{passes} done</Fact>}
        {gate !== undefined && <Fact name="Asks">{gate.question}</Fact>}
        {gate !== undefined && 'answer' in gate && <Fact name="Answered">{renderJson(gate.answer)}</Fact>}
        {checkpoint !== undefined && <Fact name="Checkpoint">{checkpoint.slice(0, 10)}</Fact>}
      </dl>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="told min-w-0">{children}</dd>
    </>
  );
}

/** Each entry is a boundary: what a fork takes. */
function Visits({ view: { visits, node }, onFork }: NodeInspectorProps & { readonly view: NodeView }) {
  if (visits.length === 0) return null;
  return (
    <Part title={visits.length === 1 ? 'Entered' : `Entered ${visits.length} times`}>
      <ol className="space-y-1">
        {visits.map(({ offset, time, inherited }, index) => (
          <li key={offset} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 text-muted">
              {visits.length > 1 && `${index + 1}. `}at {offset} · <Moment time={time} />{' '}
              {inherited && <Badge>inherited</Badge>}
            </span>
            <Button className="px-2! py-1! text-xs" onClick={() => onFork(offset)}>
              <GitFork aria-hidden size={13} /> Fork here
              <span className="sr-only">
                , at {node}
                {visits.length > 1 && `, entry ${index + 1}`}
              </span>
            </Button>
          </li>
        ))}
      </ol>
    </Part>
  );
}

function Talk({ id, path, looked }: NodeInspectorProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="w-full" onClick={() => setOpen(true)}>
        <MessagesSquare aria-hidden size={14} /> Its conversation
      </Button>
      <ConversationDialog id={id} node={path} looked={looked} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 font-medium text-xs">{title}</h3>
      {children}
    </section>
  );
}
