/**
 * Gets a run ready to be driven: log owned and folded, document read by its hash, models opened, workspace bound or
 * restored, tools connected; all of it recorded.
 */
import { existsSync } from 'node:fs';
import {
  type ErrorInfo,
  type EventDraft,
  type Graph,
  isRefusal,
  knownEvent,
  type Refusal,
  type RunFold,
  type RunId,
} from '@ramet/core';
import { type Configuration, readConfiguration } from '../config/index.ts';
import { measureRun } from '../inspect/index.ts';
import type { McpTools } from '../mcp/index.ts';
import { openSandbox } from '../sandbox/index.ts';
import { draftConfig } from '../session/config-event.ts';
import { type Held, type HeldLog, holdLog } from '../session/held-log.ts';
import { openSessionMcp } from '../session/mcp-tools.ts';
import { gatherRules } from '../session/rules.ts';
import { bindRecorded } from '../session/workspace/bind.ts';
import type { PreparedWorkspace } from '../session/workspace/types.ts';
import { builtinTools, type Tool } from '../tools/index.ts';
import { isMcpToolName } from '../tools/names.ts';
import { readProject } from '../workspace/project/index.ts';
import type { OpenRun } from './drive/types.ts';
import { type FoldedRun, foldRun, refuseEnded } from './history/fold-run.ts';
import { makeStrictDecode } from './history/payloads.ts';
import { readRewalk } from './history/rewalk.ts';
import { openJournal } from './journal.ts';
import { makeFunctionTool } from './nodes/functions.ts';
import { openModels, type RunModels } from './nodes/models.ts';
import { needsSandbox } from './places/file-use.ts';
import { openPlaces } from './places/places.ts';
import type { RunServices, RunSettings } from './types.ts';

/** A run that is ours. */
export interface OpenedRun {
  readonly run: OpenRun;
  /** Why it cannot go on with its script; null when it can. */
  readonly changedScript: ErrorInfo | null;
}

export interface OpenRunRequest {
  readonly id: RunId;
  readonly settings: RunSettings;
}

/** Opens a run; on a refusal nothing of it stays locked. */
export function openRun(services: RunServices, request: OpenRunRequest): Promise<Held<OpenedRun> | Refusal> {
  return holdLog(services.store, request.id, (held) => openOwned(services, { ...request, ...held }));
}

type OwnedRequest = OpenRunRequest & HeldLog;

async function openOwned(services: RunServices, open: OwnedRequest): Promise<OpenedRun | Refusal> {
  const { log, id, settings, closers } = open;
  const folded = foldRun(services.store, log);
  if (isRefusal(folded)) return folded;
  const { graph, fold, last } = folded;
  const ended = refuseEnded(fold);
  if (ended !== null) return ended;
  if (log.repaired) settings.observer.notice?.(`the last process that worked in run ${id} died while it did`);
  const configuration = await configure(services, fold, settings);
  if (isRefusal(configuration)) return configuration;
  const known = last === undefined ? {} : { last };
  const models = await openModels(services, { graph, settings, configuration, ...known, cwd: fold.state.cwd });
  if (isRefusal(models)) return models;
  const noSandbox = await refuseWithoutSandbox(services, graph, settings);
  if (noSandbox !== null) return noSandbox;
  const prepared = await bind(services, { id, fold, configuration });
  if (isRefusal(prepared)) return prepared;
  closers.push(() => measureRun(services.store.pathsOf(id)));
  closers.push(() => prepared.workspace.release());
  const mcp = await connectTools(services, { ...open, graph, configuration, workspace: prepared.workspace.path });
  closers.push(() => mcp.close());
  const run = assemble(services, { ...open, folded, configuration, prepared, mcp, models });
  const events = await run.journal.record([...prepared.events, describeConfig(run)]);
  const restored = events.map(knownEvent).find((event) => event?.type === 'workspace.restore');
  return { run: restored === undefined ? run : { ...run, restored }, changedScript: models.changed };
}

interface Parts extends OpenRunRequest, HeldLog {
  readonly folded: FoldedRun;
  readonly configuration: Configuration;
  readonly prepared: PreparedWorkspace;
  readonly mcp: McpTools;
  readonly models: RunModels;
}

function assemble(services: RunServices, parts: Parts): OpenRun {
  const { id, settings, log, folded, configuration, prepared, mcp, models } = parts;
  const { graph, fold, calls, start, last } = folded;
  const { store, functions = [] } = services;
  const { forkedFrom } = fold.state;
  const descent =
    forkedFrom === undefined
      ? {}
      : { descent: { parent: forkedFrom.id, offset: forkedFrom.offset, ownFrom: forkedFrom.offset + 1 } };
  const recorded = { ...(last === undefined ? {} : { config: last }), ...descent };
  const journal = openJournal(log, { fold, calls, observer: settings.observer });
  const tools: readonly Tool[] = [...functions.map(makeFunctionTool), ...mcp.tools, ...builtinTools()];
  return {
    id,
    services,
    settings,
    configuration,
    rules: gatherRules({ configuration, settings, state: recorded, store }),
    graph,
    journal,
    rewalk: readRewalk(start, log),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    models,
    places: openPlaces({
      store,
      configuration,
      workspace: prepared.workspace,
      sandbox: settings.sandbox === 'none' ? 'none' : 'bubblewrap',
      state: () => journal.state,
    }),
    decode: makeStrictDecode(log),
  };
}

async function configure(
  services: RunServices,
  { state }: RunFold,
  { trustProject }: RunSettings,
): Promise<Configuration | Refusal> {
  const { home } = services.store.layout;
  const project = state.project === null ? null : await readProject({ stateFolder: home, id: state.project });
  if (isRefusal(project)) return project;
  const folders = [project?.checkout, state.workspaceOpen?.path, state.cwd];
  const checkout = folders.find((folder) => folder !== undefined && existsSync(folder)) ?? null;
  return readConfiguration({ env: services.env, home, checkout, trustProject });
}

/** A sandbox is needed by nodes that run something; that there is none is said before anything is made. */
export async function refuseWithoutSandbox(
  { store }: RunServices,
  graph: Graph,
  { sandbox }: RunSettings,
): Promise<Refusal | null> {
  if (sandbox === 'none' || !needsSandbox(graph)) return null;
  const { home } = store.layout;
  const opened = await openSandbox('bubblewrap', { workspace: home, scratch: home, readOnly: [], frozen: [] });
  return isRefusal(opened) ? opened : null;
}

function bind(
  { store }: RunServices,
  run: { readonly id: RunId; readonly fold: RunFold; readonly configuration: Configuration },
): Promise<PreparedWorkspace | Refusal> {
  const { id, fold, configuration } = run;
  const { project, workspaceOpen, workspaceReady, checkpoints, forkedFrom } = fold.state;
  const recorded = {
    word: 'run',
    project,
    ...(workspaceOpen === undefined ? {} : { open: workspaceOpen }),
    isReady: workspaceReady,
    checkpoint: checkpoints.get('')?.id ?? null,
    why: 'the run has no checkpoint yet',
    parent: forkedFrom?.id ?? null,
  } as const;
  return bindRecorded({ store, id, configuration, recorded });
}

/** MCP servers are connected only for documents that name one of their tools. */
async function connectTools(
  services: RunServices,
  open: OwnedRequest & { readonly graph: Graph; readonly configuration: Configuration; readonly workspace: string },
): Promise<McpTools> {
  const named = [...open.graph.nodes.values()].flatMap(({ node }) => {
    if (node.kind === 'agent') return node.tools ?? [];
    return node.kind === 'tool' && node.tool !== undefined ? [node.tool] : [];
  });
  if (!named.some(isMcpToolName)) return { tools: [], close: async () => {} };
  const { configuration, settings, workspace } = open;
  return openSessionMcp(services, { configuration, request: { settings }, signal: settings.signal, workspace });
}

function describeConfig({ settings, rules, tools, places, models }: OpenRun): EventDraft {
  const context = { sandbox: places.run.sandbox, allowNet: settings.allowNet };
  return draftConfig({ model: models.recorded, tools: tools.values(), rules, context, instructions: [] });
}
