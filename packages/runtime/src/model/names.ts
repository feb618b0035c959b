/** How models are named by people. Pure. */
import { type Refusal, refuse } from '@ramet/core';
import { findNearest } from '@ramet/core/text';

const PROVIDER_IDS = ['anthropic', 'openai', 'google', 'openai-compatible'] as const;

export type ProviderId = (typeof PROVIDER_IDS)[number];

/** A parsed name; `model` may hold slashes (`openai-compatible/org/name`). */
export type ModelName =
  | { readonly kind: 'provider'; readonly provider: ProviderId; readonly model: string }
  | { readonly kind: 'script'; readonly file: string };

const FORMS = 'anthropic/<name>, openai/<name>, google/<name>, openai-compatible/<name> or scripted:<file>';

/** Parses `<provider>/<name>` or `scripted:<file>`. */
export function parseModelName(name: string): ModelName | Refusal {
  if (name.startsWith('scripted:')) {
    const file = name.slice('scripted:'.length);
    return file === '' ? refuseName(name, 'scripted:<file>') : { kind: 'script', file };
  }
  const slash = name.indexOf('/');
  const prefix = slash < 0 ? name : name.slice(0, slash);
  const model = slash < 0 ? '' : name.slice(slash + 1).trim();
  const provider = PROVIDER_IDS.find((id) => id === prefix);
  if (provider !== undefined && model !== '') return { kind: 'provider', provider, model };
  return refuseName(name, suggestName(name, prefix, model));
}

function refuseName(name: string, suggestion: string | undefined): Refusal {
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return refuse('unknown_model', `unknown model ${JSON.stringify(name)}: expected ${FORMS}${hint}`, {
    model: name,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

const FAMILIES: readonly (readonly [RegExp, ProviderId])[] = [
  [/^claude/i, 'anthropic'],
  [/^(gpt|o\d|codex)/i, 'openai'],
  [/^gemini/i, 'google'],
];

function suggestName(name: string, prefix: string, model: string): string | undefined {
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  if (family !== undefined) return `${family}/${name}`;
  if (/^scripted[./]/.test(name)) return `scripted:${name.slice('scripted'.length + 1)}`;
  const near = findNearest(prefix, PROVIDER_IDS);
  return near === undefined ? undefined : `${near}/${model === '' ? '<name>' : model}`;
}
