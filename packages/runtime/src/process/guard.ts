/**
 * Ends a process group when this process dies without a chance to do it itself (SIGKILL, out of memory).
 *
 * A shell waits for a line on a pipe that only we hold: the pipe ends with us, whatever ended us, and then it kills the
 * group. What left the group is not reached.
 */
import { spawnProcess } from './spawn.ts';

const SCRIPT = 'read -r line || kill -KILL "-$1"';

/** Guards the group of a process; answers how to stop, which must come before its number can be another's. */
export async function guardGroup(pid: number): Promise<() => void> {
  const { child } = await spawnProcess({
    argv: ['/bin/sh', '-c', SCRIPT, 'ramet-guard', String(pid)],
    cwd: '/',
    env: {},
    stdin: 'pipe',
    stdout: 'pipe',
  });
  child.stdin?.on('error', () => undefined);
  child.stdout?.resume();
  child.stderr?.resume();
  return () => {
    child.stdin?.end('\n');
  };
}
