/** The models of a run: one for the nodes that name none, others by the name a node gives. All are opened at once. */
import {
  type ErrorInfo,
  type EventOf,
  type Graph,
  invariant,
  isRefusal,
  type NodePath,
  type Refusal,
  refuse,
} from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import { type Model, type NodeModels, openNodeModels, refuseWithoutModel } from '../../model/index.ts';
import type { RunServices, RunSettings } from '../types.ts';

export interface ModelsRequest {
  readonly graph: Graph;
  readonly settings: RunSettings;
  readonly configuration: Configuration;
  /** What an earlier command ran with. */
  readonly last?: EventOf<'session.config'>;
  /** A relative script path starts here. */
  readonly cwd: string;
}

export interface RunModels {
  /** The model of a node, by the name it gives, if any. */
  modelOf(path: NodePath, name: string | undefined): Model;
  /** As `session.config` records it: that of the nodes that name none, or an empty name. */
  readonly recorded: EventOf<'session.config'>['model'];
  /** Why the run cannot go on with its script; null when it can. */
  readonly changed: ErrorInfo | null;
}

/** Opens every model that a document's nodes need; refuses what `openModel` refuses, and a cost that cannot be kept. */
export async function openModels(services: RunServices, request: ModelsRequest): Promise<RunModels | Refusal> {
  const wanted = listNames(request.graph);
  const main = wanted.has(undefined) ? mainNameOf(services, request) : undefined;
  if (wanted.has(undefined) && (main === undefined || main.name === '')) return refuseWithoutModel();
  const opened = new Map<string | undefined, NodeModels>();
  for (const name of wanted) {
    const spec = name === undefined ? { name: '', ...main } : { name };
    const models = await openNodeModels({ ...spec, env: services.env, cwd: request.cwd });
    if (isRefusal(models)) return models;
    const unpriced = refuseUnpriced(models(''), request);
    if (unpriced !== null) return unpriced;
    opened.set(name, models);
  }
  const shown = opened.get(undefined)?.('');
  const recorded = shown === undefined ? { name: '' } : { name: shown.name, ...shown.identity };
  return {
    recorded,
    changed: findChangedScript(request.last, recorded),
    modelOf: (path, name) => {
      const models = opened.get(name);
      invariant(models !== undefined, `the model ${name ?? ''} of ${path} was not opened`);
      return models(path);
    },
  };
}

/** Names that nodes give; undefined stands for those that give none. */
function listNames({ nodes }: Graph): ReadonlySet<string | undefined> {
  const names = [...nodes.values()].flatMap(({ node }) => {
    if (node.kind === 'agent') return [node.model];
    return node.kind === 'branch' && node.choices !== undefined ? [node.model] : [];
  });
  return new Set(names);
}

/** As for a session: this command's, the run's last, the environment's, that of `ramet.json`. */
function mainNameOf(
  { env }: RunServices,
  { settings, configuration, last }: ModelsRequest,
): { readonly name: string; readonly baseUrl?: string } | undefined {
  const before = last === undefined || last.model.name === '' ? undefined : nameOf(last.model);
  const name = settings.model ?? before?.name ?? env.RAMET_MODEL ?? configuration.model;
  if (name === undefined) return undefined;
  const baseUrl = settings.baseUrl ?? (name === before?.name ? before.baseUrl : undefined);
  return { name, ...(baseUrl === undefined ? {} : { baseUrl }) };
}

/** A script is found again by the path it had. */
function nameOf(model: EventOf<'session.config'>['model']): { readonly name: string; readonly baseUrl?: string } {
  return model.script === undefined ? model : { name: `scripted:${model.script.path}` };
}

function refuseUnpriced(model: Model, { settings, graph }: ModelsRequest): Refusal | null {
  const limited = settings.limits.maxCost ?? graph.document.limits?.maxCost;
  if (limited === undefined || model.isPriced) return null;
  const message = `no price is known for ${model.name}, so a limit on the cost cannot be kept; limit the run by its tokens`;
  return refuse('bad_usage', message, { model: model.name });
}

/** A script serves one run: that goes on with the very script it began with, or fails. */
function findChangedScript(
  last: EventOf<'session.config'> | undefined,
  now: EventOf<'session.config'>['model'],
): ErrorInfo | null {
  const before = last?.model.script;
  if (before === undefined || now.script === undefined) return null;
  if (before.path !== now.script.path || before.digest === now.script.digest) return null;
  const { path, digest } = now.script;
  const message = `the script ${path} changed since the run began: expected ${before.digest}, found ${digest}; restore it, or give another one with --model`;
  return { code: 'script_changed', message };
}
