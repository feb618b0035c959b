/** Graph runs for tests, through the real store, workspace and sandbox. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphDocument, isRefusal, type LoggedEvent, type Refusal, type RunId } from '@ramet/core';
import type { RunForkResult } from '@ramet/runtime/fork';
import {
  answerGate,
  forkRun,
  type NewRun,
  type RunForkOptions,
  type RunResult,
  type RunServices,
  type RunSettings,
  resumeRun,
  startRun,
} from '@ramet/runtime/graph';
import type { Tool } from '@ramet/runtime/tools';
import { makeSessionHarness, makeUnwatched, type ScriptReply, type SessionHarness } from './session-harness.ts';

export interface RunOptions {
  readonly input?: unknown;
  readonly settings?: Partial<RunSettings>;
  readonly run?: Partial<NewRun>;
  readonly functions?: readonly Tool[];
  /** Replies by node. */
  readonly script?: Readonly<Record<string, readonly ScriptReply[]>>;
}

export interface GraphHarness extends SessionHarness {
  start(document: Omit<GraphDocument, 'schema'>, options?: RunOptions): Promise<RunResult>;
  tryStart(document: unknown, options?: RunOptions): Promise<RunResult | Refusal>;
  resume(run: RunId, options?: RunOptions): Promise<RunResult>;
  answer(run: RunId, gate: string, answer: unknown): Promise<void>;
  /** F(R, node): a fork that makes writes again only when they are acknowledged. */
  forkAt(run: RunId, options: RunForkOptions, functions?: readonly Tool[]): Promise<RunId>;
  tryForkAt(run: RunId, options: RunForkOptions, functions?: readonly Tool[]): Promise<RunForkResult | Refusal>;
  /** Services with the functions of a test. */
  servicesOf(functions?: readonly Tool[]): RunServices;
  /** The log as `type path outcome` lines. */
  story(run: RunId): readonly string[];
  writeNodeScript(replies: NonNullable<RunOptions['script']>): string;
}

/** An expression as it stands in a template. */
export function cel(expression: string): string {
  return `$\{{ ${expression} }}`;
}

/** Settings of a run nobody watches. */
export function makeRunSettings(settings: Partial<RunSettings> = {}): RunSettings {
  return { ...makeUnwatched(), ...settings };
}

/** Makes a repository, an empty state folder, and what starts runs there. */
export function makeGraphHarness(options: Parameters<typeof makeSessionHarness>[0] = {}): GraphHarness {
  const base = makeSessionHarness(options);
  let scripts = 0;
  const writeNodeScript = (replies: NonNullable<RunOptions['script']>): string => {
    scripts += 1;
    const path = join(base.area.folder, `nodes-${scripts}.json`);
    writeFileSync(path, JSON.stringify(replies));
    return `scripted:${path}`;
  };
  const settingsOf = ({ settings, script }: RunOptions): RunSettings =>
    makeRunSettings({ ...(script === undefined ? {} : { model: writeNodeScript(script) }), ...settings });
  const servicesOf = (functions: readonly Tool[] = []): RunServices => ({ ...base.services, functions });
  const tryForkAt: GraphHarness['tryForkAt'] = (run, wanted, functions) => forkRun(servicesOf(functions), run, wanted);
  const tryStart: GraphHarness['tryStart'] = (document, wanted = {}) => {
    const run = {
      document: document as GraphDocument,
      input: wanted.input ?? null,
      cwd: base.repository,
      allowDirty: false,
      ...wanted.run,
    };
    return startRun(servicesOf(wanted.functions), { run, settings: settingsOf(wanted) });
  };
  return Object.assign(base, {
    writeNodeScript,
    servicesOf,
    tryStart,
    tryForkAt,
    forkAt: async (run: RunId, wanted: RunForkOptions, functions?: readonly Tool[]) => {
      const { run: child } = accept(await tryForkAt(run, wanted, functions));
      if (child === null) throw new Error('a dry run makes no child');
      return child;
    },
    start: async (document: Omit<GraphDocument, 'schema'>, wanted: RunOptions = {}) =>
      accept(await tryStart({ schema: 1, ...document }, wanted)),
    resume: async (id: RunId, wanted: RunOptions = {}) =>
      accept(await resumeRun(servicesOf(wanted.functions), { id, settings: settingsOf(wanted) })),
    answer: async (id: RunId, gate: string, answer: unknown) => {
      accept(await answerGate(base.services, { id, gate, answer, by: 'person' }));
    },
    story: (id: RunId) => base.eventsOf(id).map(describe),
  });
}

/** What a call answered; throws when it refused. */
export function accept<T>(result: T | Refusal): T {
  if (isRefusal(result)) throw new Error(`refused: ${result.code}: ${result.message}`);
  return result;
}

function describe({ type, node, outcome }: LoggedEvent): string {
  return [type, node, outcome].filter((part) => part !== undefined).join(' ');
}

/** A function as a library user registers it. */
export function makeFunction(
  name: string,
  run: (input: unknown, key: string) => unknown,
  extra: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: name,
    inputSchema: {},
    effect: 'read',
    contained: () => true,
    subject: () => '',
    run: async (input, { key = '' }) => ({ output: { type: 'json', value: await run(input, key) } }),
    ...extra,
  };
}
