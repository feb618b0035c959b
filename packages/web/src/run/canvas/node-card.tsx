/** A node as the canvas draws it. */
import { escapeLine } from '@ramet/core/text';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { ChevronLeft, ChevronRight, ListCollapse, ListTree } from 'lucide-react';
import { memo } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { KindIcon } from '../walk/kind-icon.tsx';
import { StateMark } from '../walk/state-mark.tsx';
import { type Bodies, type PlaceState, TONES } from '../walk/states.ts';
import { CARD } from './layout.ts';

export interface CardData extends Record<string, unknown> {
  readonly label: string;
  readonly kind: string | null;
  readonly state: PlaceState;
  readonly isLeft: boolean;
  readonly summary: string;
  readonly isSelected: boolean;
  /** Of a map or fold that has any. */
  readonly bodies: Bodies | null;
  /** The item or pass that is drawn in it. */
  readonly shown: number | undefined;
  /** Shows another one; null folds it. */
  readonly onShow: (number: number | null) => void;
}

export type CardNode = Node<CardData, 'card'>;

const EDGES: Readonly<Record<string, string>> = {
  plain: 'border-line',
  good: 'border-accent/60',
  warn: 'border-warn/70',
  bad: 'border-danger/80',
  busy: 'border-info/80',
};

/** The card; an unfolded one stands around what is in it. */
export const NodeCard = memo(function NodeCard({ data }: NodeProps<CardNode>) {
  const { label, kind, state, isLeft, summary, isSelected, bodies, shown, onShow } = data;
  const ring = isSelected ? 'ring-2 ring-accent' : '';
  const fill = shown === undefined ? 'bg-surface' : 'bg-raised/50';
  const dash = state === 'not reached' ? 'border-dashed' : '';
  return (
    <div className={`h-full w-full rounded-lg border-2 ${EDGES[TONES[state]]} ${fill} ${dash} ${ring}`}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div className="flex flex-col justify-center gap-1 px-2.5" style={{ height: CARD.height - 4 }}>
        <div className="flex min-w-0 items-center gap-1.5">
          <KindIcon kind={kind} />
          <span className="min-w-0 flex-1 truncate font-medium font-mono text-xs">{escapeLine(label)}</span>
          {bodies !== null && bodies.count > 0 && shown === undefined && (
            <IconButton
              label={`Unfold ${label}`}
              className="nodrag size-6!"
              onClick={(event) => {
                event.stopPropagation();
                onShow(bodies.first);
              }}
            >
              <ListTree aria-hidden size={14} />
            </IconButton>
          )}
        </div>
        <div className="flex min-w-0 items-center gap-1.5">
          <StateMark state={state} kind={kind} isLeft={isLeft} />
          <span className="min-w-0 truncate text-[0.7rem] text-muted">{summary}</span>
        </div>
      </div>
      {shown !== undefined && bodies !== null && (
        <Stepper label={label} bodies={bodies} shown={shown} onShow={onShow} />
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});

interface StepperProps {
  readonly label: string;
  readonly bodies: Bodies;
  readonly shown: number;
  readonly onShow: (number: number | null) => void;
}

function Stepper({ label, bodies: { kind, first, count }, shown, onShow }: StepperProps) {
  const last = first + count - 1;
  const word = kind === 'map' ? 'item' : 'pass';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps clicks on what is in it from choosing the node
    // biome-ignore lint/a11y/noStaticElementInteractions: the same
    <div className="nodrag flex items-center gap-1 px-2 text-xs" onClick={(event) => event.stopPropagation()}>
      <IconButton
        label={`The ${word} before`}
        className="size-6!"
        disabled={shown <= first}
        onClick={() => onShow(shown - 1)}
      >
        <ChevronLeft aria-hidden size={14} />
      </IconButton>
      <label className="flex items-center gap-1">
        {word}
        <input
          type="number"
          className="w-16 rounded border border-line bg-surface px-1 tabular-nums"
          min={first}
          max={last}
          value={shown}
          onChange={({ target }) => {
            const number = target.valueAsNumber;
            if (Number.isInteger(number) && number >= first && number <= last) onShow(number);
          }}
        />
        of {kind === 'map' ? `0 to ${last}` : last}
      </label>
      <IconButton
        label={`The ${word} after`}
        className="size-6!"
        disabled={shown >= last}
        onClick={() => onShow(shown + 1)}
      >
        <ChevronRight aria-hidden size={14} />
      </IconButton>
      <IconButton label={`Fold ${label}`} className="ml-auto size-6!" onClick={() => onShow(null)}>
        <ListCollapse aria-hidden size={14} />
      </IconButton>
    </div>
  );
}
