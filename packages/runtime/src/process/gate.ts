/**
 * A gate at which a command waits until the process that started it lets it through: when that one was killed meanwhile,
 * the command never begins.
 *
 * 1. bubblewrap asks the kernel to end it with its parent (`--die-with-parent`, PR_SET_PDEATHSIG of prctl(2)), and so does
 *    each process it makes, but only some time after it was started: a parent that dies before is not noticed. Whoever
 *    stands at the gate has asked, and whoever opens it is alive.
 * 2. So it is when bubblewrap is told to end before its processes have asked: whoever tells it closes the gate first.
 */
import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

/** The descriptor of the gate: a socket, of which the command has one end. Shells name only one digit. */
export const GATE_DESCRIPTOR = 3;

const SCRIPT = `printf . >&${GATE_DESCRIPTOR} && read -r go <&${GATE_DESCRIPTOR} && exec ${GATE_DESCRIPTOR}>&- "$@"`;

/** A command that waits at the gate first; it keeps nothing of it. */
export function makeGatedCommand(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', SCRIPT, 'ramet-gate', ...argv];
}

export interface Gate {
  /** Lets nothing through any more: the command ends where it stands. */
  close(): void;
}

/** Lets the command of a child through once it stands at its gate, unless the child has ended by then. */
export function openGate(child: ChildProcess): Gate {
  const socket = child.stdio[GATE_DESCRIPTOR] as Duplex;
  // It may have ended before it came to its gate.
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end('\n'));
  socket.resume();
  const close = (): void => void socket.destroy();
  child.once('exit', close);
  return { close };
}
