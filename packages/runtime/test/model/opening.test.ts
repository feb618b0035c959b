import { isRefusal, type Refusal } from '@ramet/core';
import { expect, it } from 'vitest';
import { type Model, type ModelSpec, openModel, refuseWithoutModel } from '../../src/model/index.ts';
import { KEY } from './helpers.ts';

async function refusalOf(spec: Partial<ModelSpec>): Promise<Refusal> {
  const opened = await openModel({ name: 'anthropic/claude-sonnet-4-5', env: {}, cwd: '/', ...spec });
  if (isRefusal(opened)) return opened;
  throw new Error(`expected a refusal, found the model ${opened.name}`);
}

async function open(spec: Partial<ModelSpec>): Promise<Model> {
  const opened = await openModel({ name: 'openai-compatible/m', env: {}, cwd: '/', ...spec });
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
}

it.each([
  ['anthropic/claude-sonnet-4-5', ['ANTHROPIC_API_KEY']],
  ['openai/gpt-5', ['OPENAI_API_KEY']],
  ['google/gemini-2.5-pro', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']],
])('refuses %s without a key in three lines', async (name, variables) => {
  const refusal = await refusalOf({ name, env: Object.fromEntries(variables.map((variable) => [variable, ' '])) });
  const lines = refusal.message.split('\n');
  expect(refusal.code).toBe('no_key');
  expect(lines).toHaveLength(3);
  for (const variable of variables) expect(lines[0]).toContain(variable);
  expect(lines[1]).toContain('--model openai-compatible/<name> --base-url http://localhost:11434/v1');
  expect(lines[2]).toContain('npm run demo');
});

it('refuses without a model in three lines that name every place', () => {
  const refusal = refuseWithoutModel();
  const lines = refusal.message.split('\n');
  expect(refusal.code).toBe('no_model');
  expect(lines).toHaveLength(3);
  for (const place of ['--model', "session's last model", 'RAMET_MODEL', 'ramet.json'])
    expect(lines[0]).toContain(place);
});

it.each([
  ['antropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
  ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
  ['gpt-5', 'openai/gpt-5'],
  ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['openai-compatable/m', 'openai-compatible/m'],
  ['anthropic', 'anthropic/<name>'],
  ['scripted/one.json', 'scripted:one.json'],
  ['scripted:', 'scripted:<file>'],
])('refuses %s and asks whether %s was meant', async (name, meant) => {
  const refusal = await refusalOf({ name });
  expect(refusal.code).toBe('unknown_model');
  expect(refusal.message).toContain(`did you mean ${meant}?`);
});

it('does not guess from a name that is near nothing', async () => {
  const refusal = await refusalOf({ name: 'zzz' });
  expect(refusal.code).toBe('unknown_model');
  expect(refusal.message).not.toContain('did you mean');
});

it.each([
  [undefined, 'needs an address'],
  ['localhost:11434', 'is no address'],
  ['file:///etc/passwd', 'is no address'],
  ['http://user:secret@host/v1', 'no user, password or query'],
  ['http://host/v1?key=secret', 'no user, password or query'],
])('refuses the address %s', async (baseUrl, reason) => {
  const refusal = await refusalOf({ name: 'openai-compatible/m', ...(baseUrl === undefined ? {} : { baseUrl }) });
  expect(refusal.code).toBe('bad_usage');
  expect(refusal.message).toContain(reason);
  expect(refusal.message).not.toContain('secret');
});

it('takes the address of a compatible endpoint from RAMET_BASE_URL, and --base-url before it', async () => {
  const env = { RAMET_BASE_URL: 'http://localhost:1/v1' };
  expect((await open({ env })).identity).toEqual({ baseUrl: 'http://localhost:1/v1' });
  expect((await open({ env, baseUrl: 'http://localhost:2/v1/' })).identity).toEqual({
    baseUrl: 'http://localhost:2/v1',
  });
});

it('never sends the key of another provider to RAMET_BASE_URL, and records no key', async () => {
  const env = { RAMET_BASE_URL: 'http://localhost:1/v1', ANTHROPIC_API_KEY: KEY };
  const model = await open({ name: 'anthropic/claude-sonnet-4-5', env });
  expect(model.identity).toEqual({});
  expect(model.contextTokens).toBe(200_000);
  expect(JSON.stringify(model)).not.toContain(KEY);
});
