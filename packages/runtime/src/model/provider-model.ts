/** One streamed request to a provider. No retry, no state between requests. */
import { deriveFailure } from './failure.ts';
import type { ProviderId } from './names.ts';
import { priceOf } from './price.ts';
import { makeCall } from './prompt.ts';
import { makeReply } from './reply.ts';
import type { SdkModel } from './sdk-types.ts';
import { collectReply } from './stream.ts';
import type { Model, ModelDelta, ModelReply, ModelRequest } from './types.ts';

export interface ProviderModelParts {
  readonly name: string;
  readonly provider: ProviderId;
  readonly model: string;
  readonly sdk: SdkModel;
  readonly baseUrl: string;
  /** Whether the address is worth recording: it is not the provider's own. */
  readonly isBaseUrlChosen: boolean;
  readonly key: string;
  readonly keyVariables: readonly string[];
  readonly contextTokens: number | undefined;
  readonly isPriced: boolean;
  readonly now: () => Date;
}

/** Makes a model that talks to a provider through its SDK package. */
export function makeProviderModel(parts: ProviderModelParts): Model {
  return {
    name: parts.name,
    identity: parts.isBaseUrlChosen ? { baseUrl: parts.baseUrl } : {},
    ...(parts.contextTokens === undefined ? {} : { contextTokens: parts.contextTokens }),
    isPriced: parts.isPriced,
    reply: (request, onDelta) => requestReply(parts, request, onDelta),
  };
}

async function requestReply(
  parts: ProviderModelParts,
  request: ModelRequest,
  onDelta: (delta: ModelDelta) => void,
): Promise<ModelReply> {
  try {
    request.signal.throwIfAborted();
    const { stream } = await parts.sdk.doStream(makeCall(request, parts.provider));
    const draft = await collectReply(stream, onDelta);
    request.signal.throwIfAborted();
    return await addCost(parts, makeReply(draft, request.messages, parts.model));
  } catch (error) {
    throw deriveFailure(error, {
      model: parts.name,
      keyVariables: parts.keyVariables,
      baseUrl: parts.baseUrl,
      key: parts.key,
      signal: request.signal,
      now: parts.now(),
    });
  }
}

/** The model that answered may be a dated form of the one asked for; the list may know either. */
async function addCost(parts: ProviderModelParts, reply: Omit<ModelReply, 'cost'>): Promise<ModelReply> {
  const { provider, baseUrl } = parts;
  for (const model of new Set([reply.modelId, parts.model])) {
    const cost = await priceOf({ provider, baseUrl, model, usage: reply.usage, time: parts.now() });
    if (cost !== undefined) return { ...reply, cost };
  }
  return reply;
}
