/** A signal that is aborted with another one, or by itself. */
export interface FollowedSignal {
  readonly signal: AbortSignal;
  readonly stop: () => void;
  /** Lets go of the signal that is followed. */
  readonly leave: () => void;
}

/**
 * Follows a signal that may live much longer than what is done under it. `AbortSignal.any` would leave a trace of each
 * in the other.
 */
export function followSignal(other: AbortSignal): FollowedSignal {
  const own = new AbortController();
  const stop = (): void => own.abort(other.reason);
  if (other.aborted) stop();
  else other.addEventListener('abort', stop);
  return { signal: own.signal, stop, leave: () => other.removeEventListener('abort', stop) };
}
