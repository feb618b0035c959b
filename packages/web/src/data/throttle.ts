/** Calls at once, then at most once in a while, however often it is asked to; the last ask is never lost. */
export function throttle(call: () => void, everyMs: number): () => void {
  let isWaiting = false;
  let isAsked = false;
  const ask = () => {
    if (isWaiting) {
      isAsked = true;
      return;
    }
    isWaiting = true;
    call();
    setTimeout(() => {
      isWaiting = false;
      if (!isAsked) return;
      isAsked = false;
      ask();
    }, everyMs);
  };
  return ask;
}
