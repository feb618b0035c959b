/**
 * The document of a run, drawn, with the state of every node at the moment that is looked at. Loaded when it is first
 * shown; the tree beside it says the same to keys and screen readers.
 */
import type { NodePath } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { Controls, type Edge, MarkerType, ReactFlow, useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import '@xyflow/react/dist/style.css';
import './canvas.css';
import { Empty } from '../../ui/states.tsx';
import type { Nodes } from '../timeline.ts';
import { bodiesOf } from '../walk/states.ts';
import { summarizeView } from '../walk/summary.ts';
import { type Drawing, layoutGraph, type Unfolded } from './layout.ts';
import { type CardNode, NodeCard } from './node-card.tsx';
import { showBody, unfoldTo } from './unfold.ts';

/** A larger document takes longer to lay out than anybody waits, and nobody finds anything in its picture. */
const MOST_NODES = 500;

const FIT = { maxZoom: 1, padding: 0.12 };

const TYPES = { card: NodeCard };

export interface GraphCanvasProps {
  readonly graph: Graph;
  readonly nodes: Nodes;
  readonly isLeft: boolean;
  readonly selected: NodePath | null;
  readonly onSelect: (path: NodePath) => void;
}

/** The canvas. */
export function GraphCanvas(props: GraphCanvasProps) {
  if (props.graph.nodes.size > MOST_NODES) {
    return (
      <Empty title="This document is too large to be drawn">
        It has {props.graph.nodes.size} nodes. The list has all of them.
      </Empty>
    );
  }
  return <Canvas {...props} />;
}

function Canvas({ graph, nodes, isLeft, selected, onSelect }: GraphCanvasProps) {
  const [unfolded, setUnfolded] = useState<Unfolded>(new Map());
  useEffect(() => {
    if (selected?.includes('/')) setUnfolded((before) => unfoldTo(before, selected));
  }, [selected]);
  const [isMoved, setMoved] = useState(false);
  const drawing = useMemo(() => layoutGraph(graph, unfolded), [graph, unfolded]);
  const cards = useMemo(
    () => makeCards({ graph, nodes, isLeft, selected }, drawing, setUnfolded),
    [graph, nodes, isLeft, selected, drawing],
  );
  const edges = useMemo(() => makeEdges(drawing, nodes), [drawing, nodes]);
  return (
    <ReactFlow
      nodes={cards}
      edges={edges}
      nodeTypes={TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      elementsSelectable
      fitView
      fitViewOptions={FIT}
      minZoom={0.1}
      maxZoom={1.5}
      onlyRenderVisibleElements
      onMove={(event) => setMoved((before) => before || event !== null)}
      onNodeClick={(_, { id }) => onSelect(id)}
      onNodesChange={(changes) => {
        const chosen = changes.find((change) => change.type === 'select' && change.selected);
        if (chosen?.type === 'select') onSelect(chosen.id);
      }}
    >
      <Controls showInteractive={false} />
      {!isMoved && <Fit drawing={drawing} />}
    </ReactFlow>
  );
}

/** Keeps all of it in sight while nobody has moved it: the space it has changes with what waits for a person. */
function Fit({ drawing }: { readonly drawing: Drawing }) {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn, and the space for it, are what it is fitted to
  useEffect(() => {
    const frame = requestAnimationFrame(() => void fitView(FIT));
    return () => cancelAnimationFrame(frame);
  }, [fitView, width, height, drawing]);
  return null;
}

type Look = Omit<GraphCanvasProps, 'onSelect'>;
type SetUnfolded = (change: (before: Unfolded) => Unfolded) => void;

function makeCards({ graph, nodes, isLeft, selected }: Look, drawing: Drawing, setUnfolded: SetUnfolded): CardNode[] {
  return drawing.nodes.map(({ path, x, y, width, height, parent, shown }) => {
    const view = nodes.get(path);
    const id = path.slice(path.lastIndexOf('/') + 1);
    const kind = graph.nodes.get(id)?.node.kind ?? null;
    const state = view?.state ?? 'not reached';
    return {
      id: path,
      type: 'card',
      position: { x, y },
      width,
      height,
      ariaLabel: `${path}, ${kind ?? 'node'}, ${state}`,
      ...(parent === null ? {} : { parentId: parent }),
      data: {
        label: id,
        kind,
        state,
        isLeft,
        summary: view === undefined ? '' : summarizeView(view),
        isSelected: path === selected,
        bodies: bodiesOf(nodes, graph.bodies.get(id), view),
        shown,
        onShow: (number) => setUnfolded((before) => showBody(before, path, number)),
      },
    };
  });
}

function makeEdges({ edges }: Drawing, nodes: Nodes): Edge[] {
  return edges.map(({ from, to, on }) => {
    const source = nodes.get(from);
    const isTaken = source?.state === 'ok' && (on === undefined || source.take === on);
    return {
      id: `${from} ${to} ${on ?? ''}`,
      source: from,
      target: to,
      focusable: false,
      markerEnd: { type: MarkerType.ArrowClosed },
      style: isTaken ? { strokeWidth: 2 } : { strokeDasharray: '4 4' },
      ...(on === undefined ? {} : { label: on }),
    };
  });
}
