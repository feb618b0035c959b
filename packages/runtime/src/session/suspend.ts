/**
 * A stop that is nobody's word: the process ends, the work does not. What is at work is interrupted as by Ctrl-C, but no
 * turn ends and no question is answered, so that the next owner goes on where this one stopped.
 */

/** The reason to abort the `signal` of a turn or a run with: it is suspended, not interrupted by a person. */
export const SUSPEND: Error = new DOMException('the work is suspended and gone on with later', 'AbortError');

/** Whether a turn or a run was told to suspend. */
export function isSuspended({ signal }: { readonly signal: AbortSignal }): boolean {
  return signal.aborted && signal.reason === SUSPEND;
}
