/**
 * Puts a provider's stream together. Pure but for the delta callback.
 *
 * 1. A stream that ends without saying that it is finished is a failure, not a short reply.
 * 2. What a provider needs back (signatures, item ids) stays with the part it came with, whichever event brought it.
 * 3. A delta never ends inside a character.
 */
import type { SdkStreamPart } from './sdk-types.ts';
import type { ModelDelta } from './types.ts';
import { isPlainObject } from './well-formed.ts';

type Options = Record<string, unknown>;

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

/** Reads a stream to its end; throws `StreamError` or `CutStreamError` when there is no complete reply. */
export async function collectReply(
  stream: AsyncIterable<SdkStreamPart>,
  onDelta: (delta: ModelDelta) => void,
): Promise<ReplyDraft> {
  const draft: ReplyDraft = { parts: [], open: new Map(), modelId: undefined, finish: undefined };
  for await (const part of stream) {
    if (part.type === 'error') throw new StreamError(part.error);
    applyPart(draft, part, onDelta);
  }
  if (draft.finish === undefined || draft.finish.finishReason.unified === 'interrupted') throw new CutStreamError();
  return draft;
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
  const end = /[\ud800-\udbff]$/.test(block.text) ? block.text.length - 1 : block.text.length;
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
