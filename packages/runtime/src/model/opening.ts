/** From a model's name and the environment to a model, or the reason there is none. */
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { type ProviderId, parseModelName } from './names.ts';
import { contextTokensOf, isPriceKnown } from './price.ts';
import { makeProviderModel } from './provider-model.ts';
import { PROVIDERS, type ProviderEntry } from './providers.ts';
import { refuseWithoutKey } from './refusals.ts';
import { openScriptedModel, openScriptedNodes } from './scripted-model.ts';
import type { Model, ModelSpec, NodeModels } from './types.ts';

/**
 * Opens a model without a request to it. Refuses with `unknown_model`, `no_key`, `bad_usage` (an address that is
 * none, or is missing) or `bad_script`.
 */
export async function openModel(spec: ModelSpec): Promise<Model | Refusal> {
  const name = parseModelName(spec.name);
  if (isRefusal(name)) return name;
  if (name.kind === 'script') return openScriptedModel(spec.name, name.file, spec.cwd);
  return openProviderModel(spec, name.provider, name.model);
}

/** Opens a model for the nodes of a graph run, as `openModel` does; a script has replies for each node. */
export async function openNodeModels(spec: ModelSpec): Promise<NodeModels | Refusal> {
  const name = parseModelName(spec.name);
  if (isRefusal(name)) return name;
  if (name.kind === 'script') return openScriptedNodes(spec.name, name.file, spec.cwd);
  const model = await openProviderModel(spec, name.provider, name.model);
  return isRefusal(model) ? model : () => model;
}

async function openProviderModel(spec: ModelSpec, provider: ProviderId, model: string): Promise<Model | Refusal> {
  const entry = PROVIDERS[provider];
  const address = resolveBaseUrl(spec, entry);
  if (isRefusal(address)) return address;
  const key = findKey(spec.env, entry);
  if (key === '' && !entry.isKeyOptional) return refuseWithoutKey(spec.name, entry.keyVariables);
  const { baseUrl } = address;
  const [sdk, contextTokens, isPriced] = await Promise.all([
    entry.load({ model, key, baseUrl }),
    contextTokensOf({ provider, model, baseUrl }),
    isPriceKnown({ provider, model, baseUrl }),
  ]);
  return makeProviderModel({
    name: spec.name,
    provider,
    model,
    sdk,
    baseUrl,
    isBaseUrlChosen: baseUrl !== entry.defaultBaseUrl,
    key,
    keyVariables: entry.keyVariables,
    contextTokens,
    isPriced,
    now: () => new Date(),
  });
}

/** The providers there are, and whether this environment has a key for each. */
export function listProviders(env: ModelSpec['env']): readonly { readonly name: string; readonly hasKey: boolean }[] {
  return Object.entries(PROVIDERS).map(([name, entry]) => ({ name, hasKey: findKey(env, entry) !== '' }));
}

/** Surrounding white space (a newline from a file) would make an invalid header. */
function findKey(env: ModelSpec['env'], entry: ProviderEntry): string {
  return entry.keyVariables.map((variable) => env[variable]?.trim() ?? '').find((key) => key !== '') ?? '';
}

function resolveBaseUrl(spec: ModelSpec, entry: ProviderEntry): { readonly baseUrl: string } | Refusal {
  const given = [spec.baseUrl, spec.env[entry.baseUrlVariable], entry.defaultBaseUrl].find(
    (url) => url !== undefined && url.trim() !== '',
  );
  if (given === undefined) {
    return refuse(
      'bad_usage',
      `${spec.name} needs an address: give --base-url or ${entry.baseUrlVariable}, for example http://localhost:11434/v1`,
      { model: spec.name },
    );
  }
  return parseBaseUrl(given.trim());
}

/** What is recorded of an address must hold no secret, so it may have no credentials and no query. */
function parseBaseUrl(text: string): { readonly baseUrl: string } | Refusal {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return refuse('bad_usage', `${JSON.stringify(text)} is no address of a model: expected http://... or https://...`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    return refuse(
      'bad_usage',
      `the address of a model at ${url.host} may hold no user, password or query: give a key by its variable`,
    );
  }
  return { baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}
