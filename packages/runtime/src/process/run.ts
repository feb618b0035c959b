/**
 * Runs a process to its end. Ends it, and everything in its group, at a timeout or when the caller aborts:
 * SIGTERM, and SIGKILL after a grace period.
 */
import { closeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { collectStream } from './collect.ts';
import { feedStdin } from './feed.ts';
import { openPipe } from './pipes.ts';
import { killGroup, type SpawnedProcess, spawnProcess } from './spawn.ts';
import type { ProcessOutcome, ProcessSpec } from './types.ts';

const KILL_GRACE_MS = 2_000;
/** A process that left the group may hold our pipes open after its parent ended; we stop listening after this. */
const PIPE_GRACE_MS = 5_000;

/** Runs a process and returns what it said; throws `Failure('process_failed')` when it could not be started. */
export async function runProcess(spec: ProcessSpec): Promise<ProcessOutcome> {
  const file = spec.stdout.kind === 'file' ? await open(spec.stdout.path, 'wx', 0o600) : null;
  try {
    return await runWithOutput(spec, file);
  } finally {
    await file?.close();
  }
}

async function runWithOutput(spec: ProcessSpec, file: FileHandle | null): Promise<ProcessOutcome> {
  const { spawned, streams } = await spawnWithStreams(spec, file);
  const stdout = collectStream(streams.stdout, {
    ...(spec.stdout.kind === 'collect' ? spec.stdout : { limitBytes: 0 }),
    ...(spec.onStdout === undefined ? {} : { onData: spec.onStdout }),
  });
  const stderr = collectStream(streams.stderr, {
    limitBytes: spec.stderrLimitBytes,
    tailBytes: spec.stderrTailBytes ?? 0,
    ...(spec.onStderr === undefined ? {} : { onData: spec.onStderr }),
  });
  const end = watchForEnd(spawned, spec);
  const allClosed = Promise.all([spawned.closed, waitForClose(streams.stdout), waitForClose(streams.stderr)]);
  stopListeningAfterExit(spawned, streams, allClosed);
  const feeding = startFeeding(spawned, spec);
  const [{ exitCode, signal }] = await allClosed;
  end.stop();
  await feeding;
  return {
    exitCode,
    signal,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    truncated: stdout.truncated() || stderr.truncated(),
    droppedBytes: { stdout: stdout.dropped(), stderr: stderr.dropped() },
    timedOut: end.reason() === 'timeout',
    aborted: end.reason() === 'abort',
  };
}

interface OutputStreams {
  /** Null with a file sink. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

async function spawnWithStreams(
  spec: ProcessSpec,
  file: FileHandle | null,
): Promise<{ spawned: SpawnedProcess; streams: OutputStreams }> {
  const outPipe = spec.realPipes && file === null ? await openPipe() : null;
  const errPipe = spec.realPipes ? await openPipe() : null;
  const pipes = [outPipe, errPipe].filter((pipe) => pipe !== null);
  try {
    const spawned = await spawnProcess({
      argv: spec.argv,
      cwd: spec.cwd,
      env: spec.env,
      stdin: spec.stdin === undefined ? 'ignore' : 'pipe',
      stdout: file?.fd ?? outPipe?.writeEnd ?? 'pipe',
      ...(errPipe === null ? {} : { stderr: errPipe.writeEnd }),
      ...(spec.gated === undefined ? {} : { gated: spec.gated }),
      ...(spec.descriptors === undefined ? {} : { descriptors: spec.descriptors }),
    });
    const { child } = spawned;
    return { spawned, streams: { stdout: outPipe?.stream ?? child.stdout, stderr: errPipe?.stream ?? child.stderr } };
  } catch (error) {
    for (const pipe of pipes) pipe.stream.destroy();
    throw error;
  } finally {
    // Ours must go, or the streams would never end.
    for (const pipe of pipes) closeSync(pipe.writeEnd);
  }
}

function waitForClose(stream: Readable | null): Promise<void> {
  if (stream === null || stream.closed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}

function startFeeding(spawned: SpawnedProcess, spec: ProcessSpec): Promise<void> {
  const { stdin } = spawned.child;
  if (stdin === null || spec.stdin === undefined) return Promise.resolve();
  const feeding = feedStdin(stdin, spec.stdin).catch((error: unknown) => {
    // Half an input must not be taken for a whole one.
    killGroup(spawned.pid, 'SIGKILL');
    throw error;
  });
  // Awaited after the process has ended; until then a rejection must not count as unhandled.
  feeding.catch(() => undefined);
  return feeding;
}

function watchForEnd(
  spawned: SpawnedProcess,
  spec: ProcessSpec,
): { stop(): void; reason(): 'timeout' | 'abort' | null } {
  let reason: 'timeout' | 'abort' | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  const end = (why: 'timeout' | 'abort') => {
    if (reason !== null) return;
    reason = why;
    spawned.gate?.close();
    killGroup(spawned.pid, 'SIGTERM');
    killTimer = setTimeout(() => killGroup(spawned.pid, 'SIGKILL'), KILL_GRACE_MS);
  };
  const onAbort = () => end('abort');
  const timer = spec.timeoutMs === undefined ? undefined : setTimeout(() => end('timeout'), spec.timeoutMs);
  if (spec.signal?.aborted) onAbort();
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(killTimer);
    spec.signal?.removeEventListener('abort', onAbort);
  };
  return { stop, reason: () => reason };
}

function stopListeningAfterExit({ child }: SpawnedProcess, streams: OutputStreams, allClosed: Promise<unknown>): void {
  child.once('exit', () => {
    const timer = setTimeout(() => {
      streams.stdout?.destroy();
      streams.stderr?.destroy();
      child.stdin?.destroy();
    }, PIPE_GRACE_MS);
    void allClosed.then(() => clearTimeout(timer));
  });
}
