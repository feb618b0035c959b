/**
 * Does by the daemon what this process was refused because the daemon is at work in the run.
 *
 * 1. Nothing of it is loaded unless a run is in use elsewhere.
 * 2. Where no daemon is at work in the run, the refusal stands as it is.
 */
import type { Client } from '@ramet/client';
import { isCode, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';

/** What is done by the daemon. */
export interface Through<T> {
  readonly store: FileStore;
  readonly id: RunId;
  readonly act: (client: Client) => Promise<T | Refusal>;
}

/** The outcome of a command's own try, or that of the daemon's where the run is the daemon's. */
export async function orByDaemon<T>(
  context: CliContext,
  outcome: T | Refusal,
  { store, id, act }: Through<T>,
): Promise<T | Refusal> {
  if (!isRefusal(outcome) || outcome.code !== 'owned_elsewhere') return outcome;
  const { findDriver } = await import('./connect.ts');
  const client = await findDriver(context, store, id);
  return client === null ? outcome : actThrough(client, act, outcome);
}

async function actThrough<T>(
  client: Client,
  act: (client: Client) => Promise<T | Refusal>,
  refusal: Refusal,
): Promise<T | Refusal> {
  const { ApiProblem, Unreachable } = await import('@ramet/client');
  try {
    return await act(client);
  } catch (error) {
    if (error instanceof Unreachable) return refusal;
    if (!(error instanceof ApiProblem)) throw error;
    return readRefusal(error) ?? refusal;
  }
}

/** A problem of the API as the refusal it was; null of one that only HTTP knows. */
function readRefusal(problem: {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}): Refusal | null {
  const { code, message, data } = problem;
  const { type: _, title: __, status: ___, detail: ____, code: _____, ...told } = data;
  return isCode(code) ? refuse(code, message, told) : null;
}
