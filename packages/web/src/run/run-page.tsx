/** A graph run: its walk as a picture and as a tree, any place of it, and any moment of its log. */
import type { NodePath } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { type RunFacts, useGraph, useRun } from '../data/run.ts';
import type { LogView } from '../log/run-log.ts';
import { useRunLog } from '../log/use-run-log.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loading, Trouble } from '../ui/states.tsx';
import { useMedia } from '../ui/use-media.ts';
import { RunAbout } from './about/run-about.tsx';
import { RunForkDialog } from './fork/run-fork-dialog.tsx';
import { NodeInspector } from './inspector/node-inspector.tsx';
import { LogEnd } from './log-end.tsx';
import { RunHeader } from './run-header.tsx';
import { Scrubber } from './scrubber.tsx';
import type { Nodes } from './timeline.ts';
import { isThere, useMoment } from './use-moment.ts';
import { WaitsPanel } from './waits-panel.tsx';
import { WalkTree } from './walk/walk-tree.tsx';

const GraphCanvas = lazy(async () => ({ default: (await import('./canvas/graph-canvas.tsx')).GraphCanvas }));

/** The walk is folded from the log: all of it is loaded. */
const WHOLE = Number.POSITIVE_INFINITY;

/** The page at `/r/$id`. */
export function RunPage() {
  const { id } = useParams({ from: '/r/$id' });
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { readonly id: string }) {
  const { data: detail, error, refetch } = useRun(id);
  const graph = useGraph(detail?.graph.hash);
  const { view } = useRunLog(id, WHOLE);
  if (detail === undefined) {
    if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
    return <Loading what="the run" />;
  }
  if (graph.isPending) return <Loading what="the document of the run" />;
  return <Loaded detail={detail} graph={graph.data ?? null} view={view} />;
}

interface LoadedProps {
  readonly detail: RunFacts;
  readonly graph: Graph | null;
  readonly view: LogView;
}

function Loaded({ detail, graph, view }: LoadedProps) {
  const { id } = detail;
  const looked = useMoment(view, graph);
  const [selected, setSelected] = useState<NodePath | null>(null);
  const [forkAt, setForkAt] = useState<number | null>(null);
  const [isAboutOpen, setAboutOpen] = useState(false);
  const hasAside = useMedia('(min-width: 80rem)');
  const isLeft = looked.isLive && (view.state?.owner ?? 'none') === 'none' && detail.state !== 'running';
  const { nodes } = looked.moment;
  const inspector = selected !== null && (
    <NodeInspector key={selected} {...{ id, graph, looked, isLeft }} path={selected} onFork={setForkAt} />
  );
  return (
    <div className="flex h-full min-w-0 flex-col">
      <RunHeader detail={detail} view={view} isLive={looked.isLive} onAbout={() => setAboutOpen(true)} />
      <WaitsPanel detail={detail} view={view} live={looked.live} isHidden={!looked.isLive} />
      <LogEnd view={view} hasGraph={graph !== null} />
      <div className="flex min-h-0 flex-1">
        <Walk {...{ graph, view, nodes, isLeft, selected }} onSelect={setSelected} />
        {hasAside && (
          <Aside isChosen={selected !== null} onBack={() => setSelected(null)}>
            {selected === null ? <RunAbout detail={detail} /> : inspector}
          </Aside>
        )}
      </div>
      <Scrubber looked={looked} />
      <Dialog
        title={selected ?? ''}
        shape="drawer"
        isOpen={!hasAside && selected !== null}
        onClose={() => setSelected(null)}
      >
        {inspector}
      </Dialog>
      <Dialog
        title="About this run"
        shape="drawer"
        isOpen={!hasAside && isAboutOpen}
        onClose={() => setAboutOpen(false)}
      >
        <RunAbout detail={detail} />
      </Dialog>
      <RunForkDialog
        id={id}
        at={forkAt}
        event={forkAt === null ? undefined : view.events[forkAt]}
        nodes={looked.live.nodes}
        graph={graph}
        onClose={() => setForkAt(null)}
      />
    </div>
  );
}

interface WalkProps {
  readonly graph: Graph | null;
  readonly view: LogView;
  readonly nodes: Nodes;
  readonly isLeft: boolean;
  readonly selected: NodePath | null;
  readonly onSelect: (path: NodePath) => void;
}

/** The tree, and the picture beside it where there is room for one. */
function Walk({ graph, view, ...shown }: WalkProps) {
  const hasCanvas = useMedia('(min-width: 48rem)');
  return (
    <>
      <div className="flex min-h-0 w-full flex-col border-line bg-surface md:w-72 md:shrink-0 md:border-r">
        {isThere(view) ? <WalkTree graph={graph} {...shown} /> : <Loading what="the log" />}
      </div>
      {hasCanvas && graph !== null && (
        <div className="min-h-0 min-w-0 flex-1">
          <Suspense fallback={<Loading what="the picture" />}>
            <GraphCanvas graph={graph} {...shown} />
          </Suspense>
        </div>
      )}
    </>
  );
}

interface AsideProps {
  /** It shows a node, and no longer the run as a whole. */
  readonly isChosen: boolean;
  readonly onBack: () => void;
  readonly children: ReactNode;
}

function Aside({ isChosen, onBack, children }: AsideProps) {
  return (
    <aside
      aria-label={isChosen ? 'The chosen node' : 'About this run'}
      className="flex w-96 shrink-0 flex-col overflow-y-auto border-line border-l bg-surface"
    >
      {isChosen && (
        <Button kind="quiet" className="m-1 self-start text-xs" onClick={onBack}>
          ← About the run
        </Button>
      )}
      {children}
    </aside>
  );
}
