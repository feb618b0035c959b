/**
 * What a reply cost and how much a model holds, from a price list that ships with the program. Never asks the
 * network. What the list or the provider does not say is `undefined`, never zero.
 */
import type { Cost, Usage } from '@ramet/core';

/** A model as the price list is asked for it. */
export interface PricedModel {
  /** `anthropic`, `openai`, `google` or `openai-compatible`. */
  readonly provider: string;
  readonly model: string;
  /** Tells apart what sits behind `openai-compatible`; a local server is on no list. */
  readonly baseUrl?: string;
}

export interface PriceQuestion extends PricedModel {
  readonly usage: Usage;
  /** Prices change: the time of the reply. */
  readonly time: Date;
}

/** The cost of a reply in US dollars; a cache share that was not told is priced as uncached input. */
export async function priceOf(question: PriceQuestion): Promise<Cost | undefined> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = question.usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const found = await look(question, {
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      ...(cacheReadTokens === undefined ? {} : { cache_read_tokens: cacheReadTokens }),
      ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    },
    time: question.time,
  });
  if (found === undefined || !isComplete(found.model_price)) return undefined;
  return { amount: found.total_price, currency: 'USD' };
}

/** The size of a model's context in tokens, where the list has it. */
export async function contextTokensOf(model: PricedModel): Promise<number | undefined> {
  const found = await look(model, { usage: { input_tokens: 0, output_tokens: 0 } });
  return found?.model.context_window;
}

/** Whether the list has a price for both directions of a model. */
export async function isPriceKnown(model: PricedModel): Promise<boolean> {
  const found = await look(model, { usage: { input_tokens: 1, output_tokens: 1 } });
  return found !== undefined && isComplete(found.model_price);
}

async function look(model: PricedModel, asked: { usage: Record<string, number>; time?: Date }) {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const provider =
    model.provider === 'openai-compatible'
      ? model.baseUrl === undefined
        ? undefined
        : findProvider({ providerApiUrl: model.baseUrl })
      : findProvider({ providerId: model.provider });
  // Without a provider the list would guess one from the model's name and bill a local model.
  if (provider === undefined) return undefined;
  try {
    const options = asked.time === undefined ? { provider } : { provider, timestamp: asked.time };
    return calcPrice(asked.usage, model.model, options) ?? undefined;
  } catch {
    // The list refuses usage it finds inconsistent (more cached than read): then the cost is unknown.
    return undefined;
  }
}

/** A list entry without a price for either direction would make that direction free. */
function isComplete(price: Readonly<Record<string, unknown>>): boolean {
  return price.input_mtok !== undefined && price.output_mtok !== undefined;
}
