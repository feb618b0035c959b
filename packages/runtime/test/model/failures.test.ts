import {
  type ModelEndpoint,
  renderEvent,
  renderWire,
  startModelEndpoint,
  type Wire,
  type WireAnswer,
} from '@ramet/testkit/models';
import { afterEach, describe, expect, it } from 'vitest';
import { deriveFailure } from '../../src/model/failure.ts';
import { failureOf, KEY, MODEL_NAMES, makeRequest, openAt } from './helpers.ts';

let endpoint: ModelEndpoint | undefined;

async function failWith(wire: Wire, answer: WireAnswer) {
  endpoint = await startModelEndpoint([answer]);
  return failureOf(await openAt(wire, endpoint.url), makeRequest());
}

afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

const WIRES: readonly Wire[] = ['anthropic', 'openai', 'google', 'openai-compatible'];

/** An error body as each provider words it. */
const ERRORS: Readonly<Record<Wire, (type: string, message: string) => string>> = {
  anthropic: (type, message) => JSON.stringify({ type: 'error', error: { type, message } }),
  openai: (type, message) => JSON.stringify({ error: { message, type, param: null, code: type } }),
  google: (type, message) => JSON.stringify({ error: { code: 400, message, status: type } }),
  'openai-compatible': (type, message) => JSON.stringify({ error: { message, type } }),
};

const OVERFLOWS: Readonly<Record<Wire, readonly [string, string]>> = {
  anthropic: ['invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  openai: ['context_length_exceeded', 'Your input exceeds the context window of this model.'],
  google: [
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
  'openai-compatible': ['exceed_context_size_error', 'the request exceeds the available context size'],
};

describe.each(WIRES)('%s', (wire) => {
  it('waits as long as a 429 asks, without a retry of its own', async () => {
    const body = [ERRORS[wire]('rate_limit_error', 'slow down')];
    const failure = await failWith(wire, { status: 429, headers: { 'retry-after': '7' }, body });
    expect(failure).toMatchObject({ code: 'model_failed', status: 429, retryable: true, retryAfterMs: 7000 });
    expect(failure.message).toContain(`${MODEL_NAMES[wire]} answered 429`);
    expect(failure.message).toContain('slow down');
    expect(endpoint?.requests).toHaveLength(1);
  });

  it('knows a conversation that is too long', async () => {
    const failure = await failWith(wire, { status: 400, body: [ERRORS[wire](...OVERFLOWS[wire])] });
    expect(failure).toMatchObject({ code: 'context_overflow', status: 400, retryable: false });
  });

  it('does not send a wrong request again', async () => {
    const failure = await failWith(wire, {
      status: 400,
      body: [ERRORS[wire]('invalid_request_error', 'no such field')],
    });
    expect(failure).toMatchObject({ code: 'model_failed', status: 400, retryable: false });
  });

  it('names the key variable when the key is not accepted, and never the key', async () => {
    const failure = await failWith(wire, {
      status: 401,
      body: [ERRORS[wire]('authentication_error', `bad key ${KEY}`)],
    });
    expect(failure).toMatchObject({ status: 401, retryable: false });
    expect(failure.message).toMatch(/check [A-Z_]*API_KEY/);
    expect(failure.message).not.toContain(KEY);
  });

  it('tries again after a server error that is no JSON', async () => {
    const failure = await failWith(wire, { status: 503, body: ['<html>bad gateway</html>'] });
    expect(failure).toMatchObject({ code: 'model_failed', status: 503, retryable: true });
  });

  it('tries again when the connection drops in the middle of a reply', async () => {
    const { body } = renderWire(wire, { text: 'half of it', tokens: { input: 1, cached: 0, output: 1 } });
    const failure = await failWith(wire, { body: body.slice(0, -2), end: 'drop' });
    expect(failure).toMatchObject({ code: 'model_failed', retryable: true });
    expect(failure.message).toBe(`${MODEL_NAMES[wire]} failed: the connection broke in the middle of a reply`);
    expect(failure.maxAttempts).toBeUndefined();
    expect(failure.status).toBeUndefined();
  });

  it('takes a stream that ends too early for a failure, not for a short reply', async () => {
    const { body } = renderWire(wire, { text: 'half of it' });
    const failure = await failWith(wire, { body: body.slice(0, 2) });
    expect(failure).toMatchObject({ code: 'model_failed', retryable: true });
  });

  it('tries again when the stream is empty', async () => {
    expect(await failWith(wire, { body: [] })).toMatchObject({ code: 'model_failed', retryable: true });
  });

  it('does not follow a redirect with the key', async () => {
    const other = await startModelEndpoint([renderWire(wire, { text: 'stolen' })]);
    try {
      const failure = await failWith(wire, { status: 307, headers: { location: other.url }, body: [] });
      expect(failure).toMatchObject({ code: 'model_failed', status: 307, retryable: false });
      expect(other.requests).toHaveLength(0);
    } finally {
      await other.close();
    }
  });

  it('stops in the middle of a reply when it is interrupted', async () => {
    const { body } = renderWire(wire, { text: 'a long story' });
    endpoint = await startModelEndpoint([{ body: body.slice(0, -2), end: 'hang' }]);
    const model = await openAt(wire, endpoint.url);
    const controller = new AbortController();
    const reply = model.reply(makeRequest({ signal: controller.signal }), () => controller.abort());
    await expect(reply).rejects.toMatchObject({ code: 'interrupted', retryable: false });
  });

  it('sends nothing when it was interrupted before', async () => {
    endpoint = await startModelEndpoint([]);
    const failure = await failureOf(await openAt(wire, endpoint.url), makeRequest({ signal: AbortSignal.abort() }));
    expect(failure.code).toBe('interrupted');
    expect(endpoint.requests).toHaveLength(0);
  });
});

const OVERLOADED = renderEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });

describe('an error event in a stream', () => {
  const anthropic = renderWire('anthropic', { text: 'half of it' }).body;

  it('of an overloaded Anthropic is worth another attempt, before and in the middle of the reply', async () => {
    const early = await failWith('anthropic', { body: [OVERLOADED] });
    expect(early).toMatchObject({ code: 'model_failed', status: 529, retryable: true });
    await endpoint?.close();
    const late = await failWith('anthropic', { body: [...anthropic.slice(0, 3), OVERLOADED] });
    expect(late).toMatchObject({ code: 'model_failed', status: 529, retryable: true });
    expect(late.message).toContain('Overloaded');
  });

  it('of a wrong request is final', async () => {
    const event = renderEvent({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } });
    expect(await failWith('anthropic', { body: [...anthropic.slice(0, 3), event] })).toMatchObject({
      retryable: false,
    });
  });

  it('of OpenAI about the context is an overflow', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' };
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'gpt-5',
      status: 'failed',
      error,
      output: [],
    };
    const { body } = renderWire('openai', { text: 'x' });
    const event = renderEvent({ type: 'response.failed', sequence_number: 9, response });
    expect(await failWith('openai', { body: [...body.slice(0, 1), event] })).toMatchObject({
      code: 'context_overflow',
    });
  });

  it('of a compatible server in the middle of a reply is worth another attempt', async () => {
    const { body } = renderWire('openai-compatible', { text: 'half of it' });
    const event = renderEvent({ error: { message: 'upstream broke', code: 502 } });
    const failure = await failWith('openai-compatible', { body: [...body.slice(0, 2), event] });
    expect(failure).toMatchObject({ code: 'model_failed', status: 502, retryable: true });
    expect(failure.message).toContain('upstream broke');
  });
});

it('does not call a rate limit in tokens a minute an overflow', async () => {
  const body = [ERRORS['openai-compatible']('tokens', 'Request too large: reduce the length of the messages')];
  expect(await failWith('openai-compatible', { status: 429, body })).toMatchObject({
    code: 'model_failed',
    retryable: true,
  });
});

it('does not wait for a quota that is used up', async () => {
  const body = [ERRORS.openai('insufficient_quota', 'You exceeded your current quota')];
  expect(await failWith('openai', { status: 429, body })).toMatchObject({ status: 429, retryable: false });
});

it('does not try a place that nobody answers at more than twice', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const context = { model: 'm', keyVariables: [], signal: new AbortController().signal, now: new Date(0) };
  const failure = deriveFailure(new Error('Cannot connect to API', { cause }), context);
  expect(failure).toMatchObject({ retryable: true, maxAttempts: 2 });
  expect(failure.message).toContain('nothing listens');
});

it('says that nothing listens, and does not wait for it', async () => {
  const gone = await startModelEndpoint([]);
  await gone.close();
  const failure = await failureOf(await openAt('openai-compatible', gone.url), makeRequest());
  expect(failure).toMatchObject({ code: 'model_failed', retryable: false });
  expect(failure.message).toContain(`nothing listens at ${gone.url}`);
  expect(failure.message).not.toContain('\n');
});
