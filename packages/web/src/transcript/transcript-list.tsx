/**
 * A transcript in a box that scrolls: only what is in sight is laid out.
 *
 * 1. Whoever is at its end stays there as it grows; whoever reads further up is not moved, also not by what is put before.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';
import { ItemView } from './item-view.tsx';
import type { Item, Transcript } from './types.ts';
import { useEnd } from './use-end.ts';

/** Earlier events are asked for when so few items are above what is in sight. */
const NEAR_TOP = 10;

const HEIGHTS: Readonly<Record<Item['kind'], number>> = {
  user: 90,
  assistant: 120,
  reasoning: 40,
  summary: 40,
  failed_request: 40,
  call: 40,
  mark: 32,
  end: 44,
};

export interface TranscriptListProps {
  readonly transcript: Transcript;
  readonly hasEarlier: boolean;
  readonly onEarlier: () => void;
  /** Another value for each thing that is added at the end. */
  readonly newest: string;
  /** The end is gone to whenever this is another number. */
  readonly jump?: number;
  /** What is below the last item: what streams, what is asked. */
  readonly children: ReactNode;
}

/** The items in sight. */
export function TranscriptList(props: TranscriptListProps) {
  const { transcript, hasEarlier, onEarlier, newest, jump = 0, children } = props;
  const { items, turns } = transcript;
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isHeld, hasNews, go } = useEnd({ frame, content, newest });
  const list = useVirtualizer({
    count: items.length + 1,
    getScrollElement: () => frame.current,
    estimateSize: (index) => HEIGHTS[items[index]?.kind ?? 'end'],
    getItemKey: (index) => items[index]?.key ?? 'foot',
    overscan: 6,
    anchorTo: 'end',
    paddingStart: 12,
    paddingEnd: 12,
    initialOffset: Number.MAX_SAFE_INTEGER,
  });
  const shown = list.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  useEffect(() => {
    if (hasEarlier && first < NEAR_TOP) onEarlier();
  }, [hasEarlier, first, onEarlier]);
  useEffect(() => {
    if (jump > 0) go();
  }, [jump, go]);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={frame}
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="h-full overflow-y-auto overflow-x-hidden [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div ref={content} className="relative mx-auto w-full max-w-3xl" style={{ height: list.getTotalSize() }}>
          {hasEarlier && first < NEAR_TOP && (
            <div className="absolute inset-x-0 top-0">
              <Loading what="what was before" />
            </div>
          )}
          {shown.map(({ index, key, start }) => {
            const item = items[index];
            return (
              <div
                key={key}
                data-index={index}
                ref={list.measureElement}
                className="absolute inset-x-0 px-3"
                style={{ transform: `translateY(${start}px)` }}
              >
                {item === undefined ? children : <ItemView item={item} span={turns.get(item.turn)} />}
              </div>
            );
          })}
        </div>
      </section>
      {!isHeld && <ToEnd hasNews={hasNews} onGo={go} />}
    </div>
  );
}

function ToEnd({ hasNews, onGo }: { readonly hasNews: boolean; readonly onGo: () => void }) {
  return (
    <Button
      kind={hasNews ? 'primary' : 'plain'}
      className="absolute right-4 bottom-3 rounded-full shadow-md"
      onClick={onGo}
    >
      <ArrowDown aria-hidden size={14} />
      {hasNews ? (
        <>
          New below<span className="sr-only">, to the end of the conversation</span>
        </>
      ) : (
        <>
          End<span className="sr-only"> of the conversation</span>
        </>
      )}
    </Button>
  );
}
