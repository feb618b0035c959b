/**
 * Gets a session ready for a turn: log owned, model chosen, workspace bound, sandbox opened, all of it recorded.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import {
  createSessionFold,
  type ErrorInfo,
  isRefusal,
  type Refusal,
  type RunId,
  refuse,
  type SessionFold,
  type SessionState,
} from '@ramet/core';
import { type Configuration, readConfiguration } from '../config/index.ts';
import { measureRun } from '../inspect/index.ts';
import type { Model } from '../model/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { type LogReader, makeFolder } from '../store/index.ts';
import { builtinTools, type Tool } from '../tools/index.ts';
import { locateProject, readProject } from '../workspace/project/index.ts';
import { chooseModel } from './choose-model.ts';
import { draftConfig, identifyModel } from './config-event.ts';
import { type Held, type HeldLog, holdLog } from './held-log.ts';
import { type Instructions, readInstructions } from './instructions.ts';
import { openSessionMcp } from './mcp-tools.ts';
import { refuseOtherReach } from './reach.ts';
import { gatherRules } from './rules.ts';
import { record, type TurnContext } from './turn/context.ts';
import { decodeWith } from './turn/decode.ts';
import { findRepeated, keyOfMessage } from './turn/message.ts';
import { emptyScratch, openRunSandbox } from './turn-sandbox.ts';
import type { PermissionRule, RepeatedTurn, SessionServices, TurnRequest } from './types.ts';
import { bindWorkspace } from './workspace/bind.ts';
import { makeCaptor } from './workspace/capture.ts';
import type { PreparedWorkspace } from './workspace/types.ts';

/** Most bytes of one call's output kept for the model. */
const OUTPUT_LIMIT_BYTES = 64 * 1024;

/** A session that is ours and ready. */
export interface OpenedTurn {
  readonly context: TurnContext;
  /** Why the open turn cannot go on with its script; null when it can. */
  readonly changedScript: ErrorInfo | null;
}

export interface OpenRequest {
  readonly id: RunId;
  readonly request: TurnRequest;
  /** The person's Ctrl-C and the time limit together. */
  readonly signal: AbortSignal;
  readonly timedOut: () => boolean;
}

/** A message that was sent before: nothing is opened for it. */
export interface OpenedBefore {
  readonly repeated: RepeatedTurn;
}

/** Opens a session for a turn; on a refusal nothing of it stays locked. */
export async function openTurn(
  services: SessionServices,
  open: OpenRequest,
): Promise<Held<OpenedTurn | OpenedBefore> | Refusal> {
  const opened = await holdLog<OpenedTurn | OpenedBefore>(services.store, open.id, async (held) => {
    const wrong = refuseGraphRun(held.log);
    if (wrong !== null) return wrong;
    const fold = await foldLog(held.log);
    const repeated = findRepeated(fold.state, open.request, decodeWith(held.log));
    if (repeated !== null) return isRefusal(repeated) ? repeated : { repeated };
    return openOwned(services, { ...open, ...held, fold });
  });
  return isRefusal(opened) ? ((await answerInUse(services, open, opened)) ?? opened) : opened;
}

/** Whoever is at work in the session may be so for this very message. */
async function answerInUse(
  { store }: SessionServices,
  { id, request }: OpenRequest,
  { code }: Refusal,
): Promise<Refusal | Held<OpenedBefore> | null> {
  const log = code === 'owned_elsewhere' && keyOfMessage(request) !== undefined ? store.read(id) : null;
  if (log === null) return null;
  const repeated = findRepeated((await foldLog(log)).state, request, decodeWith(log));
  return repeated === null || isRefusal(repeated) ? repeated : { repeated, close: async () => {} };
}

/** Events that are folded before others in this process may run: a long log takes a second. */
const BATCH = 1000;

async function foldLog(log: Pick<LogReader, 'readEvents'>): Promise<SessionFold> {
  const fold = createSessionFold();
  for (const event of log.readEvents()) {
    fold.add(event);
    if (fold.state.events % BATCH === 0) await pause();
  }
  return fold;
}

interface OwnedOpen extends OpenRequest, HeldLog {
  readonly fold: SessionFold;
}

async function openOwned(services: SessionServices, open: OwnedOpen): Promise<OpenedTurn | Refusal> {
  const { log, id, fold } = open;
  const { settings } = open.request;
  const { state } = fold;
  if (state.open === null && open.request.prompt === null) {
    return refuse('no_open_turn', `session ${id} has no open turn to continue; give it a message`, { id });
  }
  if (log.repaired || (state.open !== null && !isParked(state))) {
    const where = isCut(state) ? 'a call' : 'a turn';
    settings.observer.notice?.(`the last process that worked in session ${id} stopped in the middle of ${where}`);
  }
  const configuration = await configure(services, fold, open.request);
  if (isRefusal(configuration)) return configuration;
  const rules = gatherRules({ configuration, settings, state, store: services.store });
  const builtin = byName(builtinTools());
  const decode = decodeWith(log);
  const other =
    open.request.prompt === null ? refuseOtherReach(state, { settings, rules, tools: builtin, decode }) : null;
  if (other !== null) return other;
  const model = await chooseModel(services, settings, { state: fold.state, configuration, cwd: open.request.cwd });
  if (isRefusal(model)) return model;
  const prepared = await bindWorkspace({ store: services.store, id, state: fold.state, configuration });
  if (isRefusal(prepared)) return prepared;
  open.closers.push(() => measureRun(services.store.pathsOf(id)));
  open.closers.push(() => prepared.workspace.release());
  const sandbox = await openRunSandbox(services.store, { id, workspace: prepared.workspace, wanted: settings.sandbox });
  if (isRefusal(sandbox)) return sandbox;
  const instructions = readInstructions(prepared.workspace.path, fold.state.cwd);
  open.closers.push(() => {
    const why = emptyScratch(services.store, id);
    if (why !== null) settings.observer.notice?.(`/tmp of the turn is still there: ${why}`);
  });
  const mcp = await openSessionMcp(services, { ...open, configuration, workspace: prepared.workspace.path });
  open.closers.push(() => mcp.close());
  const changed = findChangedScript(state, model);
  const context = makeContext(services, {
    ...open,
    configuration,
    rules,
    tools: byName([...builtin.values(), ...mcp.tools]),
    model,
    prepared,
    sandbox,
    instructions,
  });
  await record(context, [...prepared.events, describeConfig(context, instructions)]);
  return { context, changedScript: changed };
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** A turn in the log of a graph run would be in no walk: nobody would see it. */
function refuseGraphRun(log: Pick<HeldLog['log'], 'id' | 'readOutline'>): Refusal | null {
  const { heads } = log.readOutline();
  if (heads[0]?.start !== undefined) return null;
  const { id } = log;
  if (heads[0]?.graph === undefined)
    return refuse('not_a_session', `the log of ${id} does not start a session`, { id });
  const message = `${id} is a graph run: go on with it by \`ramet resume ${id}\`, or make another of it with \`ramet fork ${id} --from-node <node>\``;
  return refuse('not_a_session', message, { id });
}

async function configure(
  services: SessionServices,
  fold: SessionFold,
  { cwd, settings: { trustProject } }: TurnRequest,
): Promise<Configuration | Refusal> {
  const { home } = services.store.layout;
  const { project: id, workspaceOpen } = fold.state;
  let project = id === null ? null : await readProject({ stateFolder: home, id });
  if (isRefusal(project)) return project;
  if (project !== null && !existsSync(project.checkout)) {
    // It moved: where the person stands now may be it, and is recorded then.
    const here = await locateProject({ stateFolder: home, cwd });
    if (here !== null && !isRefusal(here) && here.id === id) project = here;
  }
  const checkout = project?.checkout ?? workspaceOpen?.path ?? null;
  return readConfiguration({ env: services.env, home, checkout, trustProject });
}

/** The turn waits for a person's answer or word: its owner did not die. */
function isParked({ open }: SessionState): boolean {
  const call = open?.calls.find(({ result }) => result === undefined);
  return call !== undefined && call.approvalRequest !== undefined && call.approval === undefined;
}

/** A call began and has no result: its owner died, or nobody answered it. */
function isCut({ open }: SessionState): boolean {
  return open?.calls.some(({ intent, result }) => intent !== undefined && result === undefined) === true;
}

/** A script serves one turn: the open turn of a session goes on with the very script it began with, or fails. */
function findChangedScript({ open, config }: SessionState, model: Model): ErrorInfo | null {
  const recorded = config?.model.script;
  const { script } = model.identity;
  if (open === null || recorded === undefined || script === undefined) return null;
  if (recorded.path !== script.path || recorded.digest === script.digest) return null;
  const message = `the script ${script.path} changed since the turn began: expected ${recorded.digest}, found ${script.digest}; start another turn`;
  return { code: 'script_changed', message };
}

interface ContextParts extends OwnedOpen {
  readonly configuration: Configuration;
  readonly rules: readonly PermissionRule[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly model: Model;
  readonly prepared: PreparedWorkspace;
  readonly sandbox: Sandbox;
  readonly instructions: Instructions;
}

function makeContext(services: SessionServices, parts: ContextParts): TurnContext {
  const { log, fold, configuration, rules, tools, model, prepared, sandbox, instructions, id, signal, timedOut } =
    parts;
  const { settings } = parts.request;
  const { workspace } = prepared;
  const privateFolder = join(services.store.pathsOf(id).sandbox, 'private');
  makeFolder(privateFolder);
  const { toolOutput, notice } = settings.observer;
  return {
    services,
    settings,
    configuration,
    rules,
    log,
    fold,
    model,
    system: instructions.system,
    tools,
    toolContext: {
      sandbox,
      workspace: workspace.path,
      cwd: fold.state.cwd,
      signal,
      frozen: workspace.frozen,
      runsFolder: services.store.layout.runs,
      allowNet: settings.allowNet,
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
      ...(toolOutput === undefined ? {} : { onOutput: toolOutput }),
      ...(notice === undefined ? {} : { onNotice: notice }),
    },
    captor: makeCaptor({ workspace, sandbox, privateFolder, configuration }),
    signal,
    timedOut,
  };
}

function describeConfig(
  { model, tools, rules, toolContext }: TurnContext,
  { files: instructions }: Instructions,
): ReturnType<typeof draftConfig> {
  return draftConfig({ model: identifyModel(model), tools: tools.values(), rules, context: toolContext, instructions });
}
