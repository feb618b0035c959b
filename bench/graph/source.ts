/** Runs that are forked by the benchmarks, and one fork of them. */
import { isRefusal, type RunForkPlan, type RunId } from '@ramet/core';
import type { RunForkResult } from '@ramet/runtime/fork';
import { forkRun, type RunServices } from '@ramet/runtime/graph';
import { openStore } from '../area.ts';
import { makeText } from '../peers/workload.ts';
import { makeChain } from './documents.ts';
import { makeServices, makeTool, resumeToEnd, runToEnd } from './engine.ts';

/** Nodes of every run that is forked. */
export const STEPS = 500;

/** A run, and how its steps answer: they must answer a child alike. */
export interface Source {
  readonly home: string;
  readonly id: RunId;
  /** Of the text that each step answers. */
  readonly outputBytes: number;
}

/** Runs the chain whose steps answer such texts. */
export async function makeSource(home: string, outputBytes: number): Promise<Source> {
  const { run } = await runToEnd(servicesOf({ home, outputBytes }), makeChain(STEPS), null);
  return { home, id: run, outputBytes };
}

/** What one fork took. */
export interface ForkFigure {
  readonly child: RunId;
  readonly own: number;
  readonly forkMs: number;
  /** From the start of the fork to the start of the first step that runs again; null when the child was left idle. */
  readonly firstStepMs: number | null;
}

/** Forks, and with `observe` drives the child to its end: it is called as the first step that runs again begins. */
export async function forkOnce(source: Source, fromNode: string, observe?: () => void): Promise<ForkFigure> {
  let firstStepAt: number | null = null;
  const services = servicesOf(source, () => {
    firstStepAt ??= performance.now();
    observe?.();
    observe = undefined;
  });
  const started = performance.now();
  const { run: child, bytes } = expectFork(await forkRun(services, source.id, { fromNode }));
  const forkMs = performance.now() - started;
  if (child === null) throw new Error('nothing was forked');
  if (observe !== undefined) await resumeToEnd(services, child);
  const firstStepMs = firstStepAt === null ? null : firstStepAt - started;
  return { child, own: bytes.own, forkMs, firstStepMs };
}

/** What forking there would do. */
export async function planFork(source: Source, fromNode: string): Promise<RunForkPlan> {
  const { plan } = expectFork(await forkRun(servicesOf(source), source.id, { fromNode, dryRun: true }));
  if (plan === null) throw new Error('nothing was planned');
  return plan;
}

function servicesOf({ home, outputBytes }: Omit<Source, 'id'>, began: () => void = () => {}): RunServices {
  const step = makeTool('step', (input) => {
    began();
    return makeText(Number(input), outputBytes);
  });
  return makeServices(openStore(home), [step]);
}

function expectFork(result: Awaited<ReturnType<typeof forkRun>>): RunForkResult {
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}
