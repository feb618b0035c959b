/** The engine as these benchmarks drive it: functions as tools, no workspace, no sandbox, nobody to ask. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GraphDocument, isRefusal, type Refusal } from '@ramet/core';
import { type RunResult, type RunServices, type RunSettings, resumeRun, startRun } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { Tool } from '@ramet/runtime/tools';

/** What a tool node's call does: its output from the node's input. */
export type Work = (input: unknown) => unknown;

/** A function as a tool: a read unless it says that it writes outside. */
export function makeTool(name: string, work: Work, effect: Tool['effect'] = 'read'): Tool {
  return {
    name,
    description: name,
    inputSchema: {},
    effect,
    contained: () => false,
    subject: () => '',
    run: async (input) => ({ output: { type: 'json', value: (await work(input)) ?? null } }),
  };
}

/** Services with these functions as tools. */
export function makeServices(store: FileStore, functions: readonly Tool[]): RunServices {
  return {
    store,
    now: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
    env: process.env,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    functions,
  };
}

function makeSettings(): RunSettings {
  return {
    sandbox: 'none',
    allowNet: [],
    rules: [],
    trustProject: false,
    limits: {},
    onAsk: 'deny',
    observer: {},
    signal: new AbortController().signal,
  };
}

/** Starts a run of a document and drives it to its end. */
export async function runToEnd(services: RunServices, document: GraphDocument, input: unknown): Promise<RunResult> {
  const run = { document, input, cwd: tmpdir(), workspace: 'none', allowDirty: false } as const;
  return expectEnd(await startRun(services, { run, settings: makeSettings() }));
}

/** Drives a run that is there, as a fork is, to its end. */
export async function resumeToEnd(services: RunServices, id: RunResult['run']): Promise<RunResult> {
  return expectEnd(await resumeRun(services, { id, settings: makeSettings() }));
}

function expectEnd(result: RunResult | Refusal): RunResult {
  if (isRefusal(result)) throw new Error(result.message);
  if (result.status !== 'completed') throw new Error(`run ${result.run} ${result.status}: ${result.error?.message}`);
  return result;
}
