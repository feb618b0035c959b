/** How driving a run ended, as callers are told. */
import { type ErrorInfo, findOpenGates, findUnknownCalls, type Moves } from '@ramet/core';
import { isSuspended } from '../../session/suspend.ts';
import { describeUnknown } from '../../session/turn/calls/unknown.ts';
import type { ParkedNode } from '../nodes/types.ts';
import type { ParkedFor, RunResult } from '../types.ts';
import type { OpenRun } from './types.ts';

export interface Ending {
  readonly parked: readonly ParkedNode[];
  /** The last moves; null when the run was interrupted or suspended. */
  readonly moves: Moves | null;
}

/** Describes how a run stands that is not driven any more. */
export function describeResult(run: OpenRun, ending: Ending): RunResult {
  const { state } = run.journal;
  const base = { run: run.id, usage: state.own };
  switch (state.status) {
    case 'completed':
      return { ...base, status: 'completed', output: run.decode(state.output) };
    case 'failed':
      return { ...base, status: 'failed', error: run.decode(state.error) as ErrorInfo };
    case 'abandoned':
      return { ...base, status: 'abandoned' };
    default:
      if (ending.moves === null && !isParked(run, ending)) return { ...base, status: 'interrupted' };
      return { ...base, status: 'parked', parked: describeParked(run, ending.parked) };
  }
}

/** A run that is suspended while it asks is left as one that waits; a person's Ctrl-C interrupts it all the same. */
function isParked({ settings }: OpenRun, { parked }: Ending): boolean {
  return isSuspended(settings) && parked.length > 0;
}

function describeParked(run: OpenRun, parked: readonly ParkedNode[]): ParkedFor {
  const { state } = run.journal;
  const told = new Set(parked.map(({ node }) => node));
  const unknown = findUnknownCalls(state, run.journal.taken).filter(({ path }) => !told.has(path));
  return {
    gates: findOpenGates(state).map(({ path, offset, question, answerSchema }) => ({
      node: path,
      offset,
      question: String(run.decode(question)),
      answerSchema: run.decode(answerSchema) as Readonly<Record<string, unknown>>,
    })),
    calls: [
      ...parked.map(({ node, offset, reason, message }) => ({ node, offset, reason, message })),
      ...unknown.map(({ path, offset, tool }) => ({
        node: path,
        offset,
        reason: 'outcome_unknown' as const,
        message: describeUnknown(run.id, { tool, offset, why: 'it began, and no answer of it is recorded' }),
      })),
    ],
  };
}
