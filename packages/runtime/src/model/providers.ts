/**
 * The providers: which variables hold their keys, where they are, and how their package is loaded.
 *
 * 1. A package is imported only when its provider is used.
 * 2. Nothing is read from the process's environment: keys and addresses come in as arguments.
 * 3. A redirect is never followed: a key header would travel with it.
 */
import type { ProviderId } from './names.ts';
import type { SdkModel } from './sdk-types.ts';

export interface ProviderAccess {
  readonly model: string;
  /** Empty for a local endpoint without one. */
  readonly key: string;
  readonly baseUrl: string;
}

export interface ProviderEntry {
  /** In the order they are looked at. */
  readonly keyVariables: readonly string[];
  readonly isKeyOptional: boolean;
  readonly baseUrlVariable: string;
  readonly defaultBaseUrl?: string;
  load(access: ProviderAccess): Promise<SdkModel>;
}

export const PROVIDERS: Readonly<Record<ProviderId, ProviderEntry>> = {
  anthropic: {
    keyVariables: ['ANTHROPIC_API_KEY'],
    isKeyOptional: false,
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    async load({ model, key, baseUrl }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: key, baseURL: addVersion(baseUrl), fetch: fetchDirect })(model);
    },
  },
  openai: {
    keyVariables: ['OPENAI_API_KEY'],
    isKeyOptional: false,
    baseUrlVariable: 'OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com/v1',
    async load({ model, key, baseUrl }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: key, baseURL: baseUrl, fetch: fetchDirect }).responses(model);
    },
  },
  google: {
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    isKeyOptional: false,
    baseUrlVariable: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    async load({ model, key, baseUrl }) {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ apiKey: key, baseURL: baseUrl, fetch: fetchDirect })(model);
    },
  },
  'openai-compatible': {
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
    isKeyOptional: true,
    // Not shared with the others: a local address must never receive another provider's key.
    baseUrlVariable: 'RAMET_BASE_URL',
    async load({ model, key, baseUrl }) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const access = { name: 'openai-compatible', baseURL: baseUrl, includeUsage: true, fetch: fetchDirect };
      return createOpenAICompatible(key === '' ? access : { ...access, apiKey: key })(model);
    },
  },
};

/** Anthropic's own clients are told an address without a path; the package wants one with it. */
function addVersion(baseUrl: string): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl.replace(/\/$/, '')}/v1` : baseUrl;
}

const fetchDirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
