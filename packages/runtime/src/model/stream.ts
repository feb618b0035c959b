/**
 * Puts a provider's stream together. Pure but for the delta callback.
 *
 * 1. A stream that ends without saying that it is finished is a failure, not a short reply.
 * 2. What a provider needs back (signatures, item ids) stays with the part it came with, whichever event brought it.
 * 3. A delta never ends inside a character.
 * 4. A reply has a size no model has a reason to pass; beyond it the stream is given up.
 */
import type { SdkStreamPart } from './sdk-types.ts';
import type { ModelDelta } from './types.ts';
import { isPlainObject } from './well-formed.ts';

type Options = Record<string, unknown>;

/** Most characters of a reply, calls included, and most calls. */
export const REPLY_LIMITS = { characters: 16 * 1024 * 1024, calls: 1000 };

interface BlockDraft {
  readonly type: 'text' | 'reasoning';
  text: string;
  /** How much of `text` was shown: all but the first half of a character. */
  shown: number;
  options: Options | undefined;
}

interface CallDraft {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly options: Options | undefined;
}

type FinishPart = Extract<SdkStreamPart, { type: 'finish' }>;

/** A reply as far as it has arrived. */
export interface ReplyDraft {
  readonly parts: (BlockDraft | CallDraft)[];
  /** Blocks that still grow, by the stream's id; an id may be used again after its end. */
  readonly open: Map<string, BlockDraft>;
  modelId: string | undefined;
  finish: FinishPart | undefined;
}

/** An `error` part of the stream; `reason` is what the provider said, of any shape. */
export class StreamError extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('the provider reported an error in its stream');
    this.name = 'StreamError';
    this.reason = reason;
  }
}

/** The stream stopped before the reply was complete. */
export class CutStreamError extends Error {
  constructor() {
    super('the reply was cut off: the stream ended before it was complete');
    this.name = 'CutStreamError';
  }
}

/** What a part of a stream counts beside its text: 128,000 tokens, each in a part of its own, still fit. */
const PART_COST = 32;

/** The reply passes `REPLY_LIMITS`. */
export class EndlessStreamError extends Error {
  /** Another attempt would be as long. */
  readonly isRetryable = false;

  constructor() {
    const { characters, calls } = REPLY_LIMITS;
    super(`the reply was given up: it holds more than ${characters} characters or ${calls} tool calls`);
    this.name = 'EndlessStreamError';
  }
}

/** Reads a stream to its end; throws `StreamError`, `CutStreamError` or `EndlessStreamError` without a complete reply. */
export async function collectReply(
  stream: AsyncIterable<SdkStreamPart>,
  onDelta: (delta: ModelDelta) => void,
): Promise<ReplyDraft> {
  const draft: ReplyDraft = { parts: [], open: new Map(), modelId: undefined, finish: undefined };
  const left = { ...REPLY_LIMITS };
  for await (const part of stream) {
    if (part.type === 'error') throw new StreamError(part.error);
    spend(left, part);
    applyPart(draft, part, onDelta);
  }
  if (draft.finish === undefined || draft.finish.finishReason.unified === 'interrupted') throw new CutStreamError();
  return draft;
}

function spend(left: { characters: number; calls: number }, part: SdkStreamPart): void {
  // A part that only begins or ends something costs too: there could be endlessly many.
  left.characters -= PART_COST + ('delta' in part ? part.delta.length : 0);
  if (part.type === 'tool-call') left.calls -= 1;
  if (left.characters < 0 || left.calls < 0) throw new EndlessStreamError();
}

function applyPart(draft: ReplyDraft, part: SdkStreamPart, onDelta: (delta: ModelDelta) => void): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
    case 'text-end':
    case 'reasoning-end':
    case 'text-delta':
    case 'reasoning-delta':
      applyBlockPart(draft, part, onDelta);
      return;
    case 'tool-call':
      // A call the provider ran itself needs no result of ours; no such tool is ever declared.
      if (part.providerExecuted === true) return;
      draft.parts.push({
        type: 'tool-call',
        id: part.toolCallId,
        name: part.toolName,
        input: part.input,
        options: part.providerMetadata,
      });
      return;
    case 'response-metadata':
      draft.modelId = part.modelId ?? draft.modelId;
      return;
    case 'finish':
      draft.finish = part;
      return;
    default:
      return;
  }
}

type BlockPart = Extract<SdkStreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>;

function applyBlockPart(draft: ReplyDraft, part: BlockPart, onDelta: (delta: ModelDelta) => void): void {
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  const key = `${type} ${part.id}`;
  const starts = part.type === 'text-start' || part.type === 'reasoning-start';
  let block = starts ? undefined : draft.open.get(key);
  if (block === undefined) {
    block = { type, text: '', shown: 0, options: undefined };
    draft.parts.push(block);
    draft.open.set(key, block);
  }
  block.options = mergeOptions(block.options, part.providerMetadata);
  if (part.type === 'text-end' || part.type === 'reasoning-end') draft.open.delete(key);
  if (!('delta' in part)) return;
  block.text += part.delta;
  const last = block.text.charCodeAt(block.text.length - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? block.text.length - 1 : block.text.length;
  if (end > block.shown) onDelta({ kind: type, text: block.text.slice(block.shown, end) });
  block.shown = end;
}

/** A signature arrives in a later part than the id it belongs to: newer fields win, older ones stay. */
function mergeOptions(older: Options | undefined, newer: Options | undefined): Options | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  const merged: Options = { ...older };
  for (const [provider, fields] of Object.entries(newer)) {
    const before = merged[provider];
    merged[provider] = isPlainObject(before) && isPlainObject(fields) ? { ...before, ...fields } : fields;
  }
  return merged;
}
