/**
 * Keeps a box that scrolls at its end.
 *
 * 1. Whoever is at the end stays there, whatever grows or shrinks in or around the box.
 * 2. Only scrolling up leaves the end, and only scrolling back, or asking for it, returns to it.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** So near to it, in pixels, one is at the end. */
const NEAR_END_PX = 80;

export interface EndOptions {
  readonly frame: RefObject<HTMLElement | null>;
  /** What is in the frame. */
  readonly content: RefObject<HTMLElement | null>;
  /** Another value for each thing that is added at the end. */
  readonly newest: string;
}

export interface End {
  readonly isHeld: boolean;
  /** Something was added since the end was left. */
  readonly hasNews: boolean;
  readonly go: () => void;
}

/** The end of a box, held from the beginning. */
export function useEnd({ frame, content, newest }: EndOptions): End {
  const holds = useRef(true);
  const [isHeld, setHeld] = useState(true);
  const [seen, setSeen] = useState(newest);
  if (isHeld && seen !== newest) setSeen(newest);
  const hold = useCallback((is: boolean) => {
    holds.current = is;
    setHeld(is);
  }, []);
  useEffect(() => {
    const [box, inner] = [frame.current, content.current];
    if (box === null || inner === null) return;
    let before = box.scrollTop;
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = box;
      if (scrollHeight - scrollTop - clientHeight <= NEAR_END_PX) hold(true);
      else if (scrollTop < before) hold(false);
      before = scrollTop;
    };
    const sizes = new ResizeObserver(() => {
      if (holds.current) scrollToEnd(box);
    });
    sizes.observe(box);
    sizes.observe(inner);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [frame, content, hold]);
  const go = useCallback(() => {
    hold(true);
    if (frame.current !== null) scrollToEnd(frame.current);
  }, [frame, hold]);
  return { isHeld, hasNews: !isHeld && seen !== newest, go };
}

function scrollToEnd(box: HTMLElement): void {
  box.scrollTop = box.scrollHeight;
}
