import { memo } from 'react';
import { CallView } from './call-view.tsx';
import { useFrame } from './context.ts';
import { EndView } from './end-view.tsx';
import { MarkView } from './mark-view.tsx';
import { SaidView } from './said-view.tsx';
import type { Item, TurnSpan } from './types.ts';

export interface ItemViewProps {
  readonly item: Item;
  /** Its turn. */
  readonly span: TurnSpan | undefined;
}

/** One thing of a transcript. */
export const ItemView = memo(function ItemView({ item, span }: ItemViewProps) {
  const { ownFrom } = useFrame();
  return (
    <div className={`pb-3 ${item.offset < ownFrom ? 'opacity-80' : ''}`}>
      <OneItem item={item} span={span} />
    </div>
  );
});

function OneItem({ item, span }: ItemViewProps) {
  switch (item.kind) {
    case 'call':
      return <CallView item={item} />;
    case 'end':
      return <EndView item={item} />;
    case 'mark':
      return <MarkView item={item} />;
    default:
      return <SaidView item={item} span={span} />;
  }
}
