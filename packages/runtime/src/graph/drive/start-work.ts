/** Starts the effect of one node: its files first, its time limit, what its kind does, what it did to its files. */
import { type ActiveNode, CODES, type Code, type ErrorInfo, Failure, type GraphNode, invariant } from '@ramet/core';
import { renderCount } from '@ramet/core/text';
import { followSignal } from '../../session/follow-signal.ts';
import { runAgent } from '../nodes/agent/agent.ts';
import { chooseWay } from '../nodes/choose.ts';
import { runTool } from '../nodes/tool.ts';
import type { NodeWork, WorkEnd } from '../nodes/types.ts';
import { useOf } from '../places/file-use.ts';
import { keepNodeFiles } from '../places/keep-files.ts';
import type { NodePlace } from '../places/types.ts';
import type { OpenRun } from './types.ts';

/** An effect that was begun. */
export interface StartedWork {
  readonly ended: Promise<WorkEnd>;
  /** Tells it to stop; it ends when it has. */
  stop(): void;
  /** It has done nothing yet: others hold its files. */
  waitsForFiles(): boolean;
  /** Its files, once it has them. */
  place(): NodePlace | null;
}

/** Starts the effect of a node that was entered. */
export function startWork(run: OpenRun, node: ActiveNode): StartedWork {
  const stopping = followSignal(run.settings.signal);
  const { signal, stop } = stopping;
  const held: Holding['held'] = { place: null, isWaiting: false };
  return {
    ended: work(run, node, { signal, held }).finally(stopping.leave),
    stop,
    waitsForFiles: () => held.isWaiting,
    place: () => held.place,
  };
}

interface Holding {
  readonly signal: AbortSignal;
  readonly held: { place: NodePlace | null; isWaiting: boolean };
}

async function work(run: OpenRun, node: ActiveNode, { signal, held }: Holding): Promise<WorkEnd> {
  const definition = run.graph.nodes.get(node.id)?.node;
  invariant(definition !== undefined, `the document has no node ${node.id}`);
  const { call } = run.journal.state.nodes.get(node.path) ?? {};
  const timer = startTimer(timeLimitOf(definition), signal);
  try {
    const use = useOf(definition);
    const goesOn = run.journal.goingOn.has(node.path);
    const waits = (waiting: boolean): void => {
      held.isWaiting = waiting;
    };
    const place = await run.places.enter({ path: node.path, use, goesOn, signal, waits });
    held.place = place;
    await run.journal.record(place.events);
    timer.start();
    const found: NodeWork = {
      node,
      definition,
      place,
      signal: timer.signal,
      timedOut: timer.timedOut,
      ...(call === undefined ? {} : { call }),
    };
    return await keepFiles(run, found, await perform(run, found));
  } catch (error) {
    if (signal.aborted && held.place === null) return { kind: 'interrupted', drafts: [] };
    return { kind: 'failed', error: errorOf(error), drafts: [] };
  } finally {
    timer.stop();
  }
}

async function perform(run: OpenRun, found: NodeWork): Promise<WorkEnd> {
  const end = await performKind(run, found);
  if (end.kind !== 'interrupted' || !found.timedOut()) return end;
  const seconds = renderCount((timeLimitOf(found.definition) ?? 0) / 1000, 'second');
  return {
    kind: 'failed',
    error: { code: 'node_failed', message: `it took more than ${seconds}` },
    drafts: end.drafts,
  };
}

function performKind(run: OpenRun, found: NodeWork): Promise<WorkEnd> {
  const { definition } = found;
  if (definition.kind === 'tool') return runTool(run, found, definition);
  if (definition.kind === 'agent') return runAgent(run, found, definition);
  invariant(definition.kind === 'branch', `a ${definition.kind} is no effect`);
  return chooseWay(run, found, definition);
}

/** W22. A node that waits is not done with its files. */
async function keepFiles(run: OpenRun, { node, place }: NodeWork, end: WorkEnd): Promise<WorkEnd> {
  if (end.kind === 'parked') return end;
  const { drafts, problem } = await keepNodeFiles(run.journal, { node: node.path, place, drafts: end.drafts });
  if (problem === null) return { ...end, drafts };
  const message = `its files could not be kept: ${problem}`;
  return { kind: 'failed', error: { code: 'checkpoint_failed', message }, drafts };
}

/** Failures of these codes are the run's own: nothing more can be recorded, or a bug was met. */
const FATAL: ReadonlySet<Code> = new Set(['disk_failed', 'log_damaged', 'event_too_large', 'internal_error']);

function errorOf(error: unknown): ErrorInfo {
  if (!(error instanceof Failure) || FATAL.has(error.code) || !(error.code in CODES)) throw error;
  return { code: error.code, message: error.message };
}

interface Timer {
  readonly signal: AbortSignal;
  readonly timedOut: () => boolean;
  start(): void;
  stop(): void;
}

/** A program that nobody limited may print, or wait, without end. */
const EXEC_TIMEOUT_MS = 600_000;

/** How long one try of a node may take (W17); undefined: no limit of its own. */
export function timeLimitOf(definition: GraphNode): number | undefined {
  const isProgram = definition.kind === 'tool' && definition.exec !== undefined;
  return definition.timeoutMs ?? (isProgram ? EXEC_TIMEOUT_MS : undefined);
}

/** The time limit of a node begins when it has its files. */
function startTimer(timeoutMs: number | undefined, signal: AbortSignal): Timer {
  const limit = new AbortController();
  let handle: NodeJS.Timeout | undefined;
  return {
    signal: timeoutMs === undefined ? signal : AbortSignal.any([signal, limit.signal]),
    timedOut: () => limit.signal.aborted && !signal.aborted,
    start: () => {
      if (timeoutMs !== undefined) handle = setTimeout(() => limit.abort(), timeoutMs);
    },
    stop: () => clearTimeout(handle),
  };
}
