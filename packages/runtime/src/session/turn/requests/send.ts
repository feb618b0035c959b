/** Sends a request to the model, again where its failure allows it; every attempt and every answer is recorded. */
import { type ContextEvent, canonicalJson, type Digest, type EventDraft, type Purpose } from '@ramet/core';
import { ModelFailure, type ModelReply, type ModelRequest, planRetry } from '../../../model/index.ts';
import { sha256 } from '../../../store/index.ts';
import { openTurnOf, record, type TurnContext } from '../context.ts';
import { type StepOutcome, stopByAbort } from '../outcome.ts';
import { describeUnknown } from './limits.ts';

/** How a failed request ends the turn, or stops it. */
export function endByFailure(context: TurnContext, failure: ModelFailure): StepOutcome {
  if (failure.code === 'interrupted' || context.signal.aborted) return stopByAbort(context);
  const code = failure.code === 'context_overflow' ? 'model_failed' : failure.code;
  return { kind: 'end', reason: 'failed', error: { code, message: failure.message } };
}

/**
 * Sends a request, again where the provider's failure says so, and records each attempt. Answers the reply, or the
 * failure that nothing more is tried after. `events` are what the request's messages were
 * rendered from.
 */
export async function sendRecorded(
  context: TurnContext,
  request: ModelRequest,
  events: readonly ContextEvent[],
): Promise<ModelReply | ModelFailure> {
  const { purpose } = request;
  const digest = digestOf(request, events);
  for (let attempt = 1; ; attempt += 1) {
    await record(context, [{ type: 'model.request', digest, model: context.model.name, attempt, purpose }]);
    const outcome = await attemptReply(context, request);
    const before = openTurnOf(context.fold.state).usage;
    await record(context, [draftResponse(context, outcome, { attempt, purpose })]);
    if (!(outcome instanceof ModelFailure)) {
      const { settings, fold } = context;
      const unknown = describeUnknown(settings.limits, before, openTurnOf(fold.state).usage);
      if (unknown !== null) settings.observer.notice?.(unknown);
      return outcome;
    }
    const waitMs = planRetry({ attempt, failure: outcome, random: randomFraction(context) });
    if (waitMs === null || context.signal.aborted) return outcome;
    context.settings.observer.notice?.(`${outcome.message}; trying again in ${Math.ceil(waitMs / 1000)} s`);
    const interrupted = await context.services.sleep(waitMs, context.signal).then(
      () => false,
      () => true,
    );
    if (interrupted) return new ModelFailure('interrupted', 'interrupted while waiting for the provider');
  }
}

/**
 * Equal for equal requests. Events count by their digests, each taken once: a long conversation is not hashed again for
 * every request. Payloads count by their names.
 */
function digestOf({ system, tools, purpose }: ModelRequest, events: readonly ContextEvent[]): Digest {
  return sha256(canonicalJson({ system, tools, purpose, events: events.map(digestOfEvent) }));
}

const KNOWN_DIGESTS = new WeakMap<ContextEvent, Digest>();

function digestOfEvent(event: ContextEvent): Digest {
  const known = KNOWN_DIGESTS.get(event);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(contentOf(event)));
  KNOWN_DIGESTS.set(event, digest);
  return digest;
}

/** What of an event a model is shown. */
function contentOf(event: ContextEvent): readonly unknown[] {
  switch (event.type) {
    case 'message':
      return [event.message, event.notices];
    case 'model.response':
      return [event.message];
    case 'tool.result':
      return [event.callId, event.tool, event.output];
    case 'context.compact':
      return [event.summary];
  }
}

async function attemptReply(context: TurnContext, request: ModelRequest): Promise<ModelReply | ModelFailure> {
  try {
    return await context.model.reply(request, (delta) => context.settings.observer.delta?.(delta));
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw error;
  }
}

function draftResponse(
  context: TurnContext,
  outcome: ModelReply | ModelFailure,
  attempt: { readonly attempt: number; readonly purpose: Purpose },
): EventDraft {
  const type = 'model.response';
  if (outcome instanceof ModelFailure) {
    const { code, message, retryAfterMs } = outcome;
    const error = { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    return { type, model: context.model.name, ...attempt, error };
  }
  const { message, finishReason, usage, cost, modelId } = outcome;
  const known = Object.keys(usage).length > 0 ? { usage } : {};
  return { type, model: modelId, ...attempt, message, finishReason, ...known, ...(cost === undefined ? {} : { cost }) };
}

function randomFraction(context: TurnContext): number {
  return (context.services.randomBytes(1)[0] ?? 0) / 256;
}
