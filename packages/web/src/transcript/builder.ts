/**
 * Makes a transcript of events: core tells each event, this puts what belongs together into one item.
 *
 * 1. Events added at the end cost what they are, not what was there before.
 * 2. A call is one item, changed by whatever is told of it: providers use an id again, so the first call of the turn with
 *    that id and no result is meant, as in core's fold.
 */
import { type EventOf, type KnownEvent, knownEvent, type LoggedEvent } from '@ramet/core/events';
import { payloadsIn } from '@ramet/core/log';
import { decoderOf, type TranscriptEntry, transcribe } from '@ramet/core/transcript';
import { addReply, NO_USAGE, type UsageSum } from '@ramet/core/usage';
import type { CallItem, CallStatus, EntryOf, Item, MarkItem, Told, Transcript, TurnSpan } from './types.ts';

/** Notes in place of payloads, until they are loaded. */
const decode = decoderOf({ readPayload: () => null });

/** Builds one transcript; events come in order. */
export class TranscriptBuilder {
  readonly #items: Item[] = [];
  readonly #turns = new Map<number, TurnSpan>();
  #count = 0;
  #turn: number;
  #isOpen: boolean;
  #calls: number[] = [];
  #checkpoint: EventOf<'workspace.checkpoint'> | undefined;
  #startedAt: string | undefined;
  #usage: UsageSum = NO_USAGE;
  #model: string | undefined;

  /** `turnsBefore`: turns that began before the first event; `isOpen`: whether the last of them goes on in it. */
  constructor({ turnsBefore, isOpen }: { readonly turnsBefore: number; readonly isOpen: boolean }) {
    this.#turn = turnsBefore;
    this.#isOpen = isOpen;
    if (isOpen) this.#turns.set(turnsBefore, { turn: turnsBefore, end: null });
  }

  /** How many events were added. */
  get count(): number {
    return this.#count;
  }

  /** What they amount to. */
  get transcript(): Transcript {
    return {
      items: this.#items.slice(),
      turns: new Map(this.#turns),
      open: this.#isOpen ? this.#turn : null,
    };
  }

  /** Adds the next event. */
  add(logged: LoggedEvent): void {
    this.#count += 1;
    const event = knownEvent(logged);
    if (event === null) return;
    if (event.type === 'message') this.#begin(event);
    this.#tell(event);
    this.#note(event);
  }

  #begin(event: EventOf<'message'>): void {
    this.#turn += 1;
    this.#isOpen = true;
    this.#turns.set(this.#turn, { turn: this.#turn, end: null });
    this.#calls = [];
    this.#checkpoint = undefined;
    this.#startedAt = event.time;
    this.#usage = NO_USAGE;
  }

  #tell(event: KnownEvent): void {
    const entries = transcribe(event, decode);
    if (entries.length === 0) return;
    const payloads = payloadsIn(event);
    entries.forEach((entry, index) => {
      this.#put({ entry, event, index, payloads });
    });
  }

  #put(told: Told): void {
    const { entry } = told;
    switch (entry.kind) {
      case 'call':
        this.#calls.push(this.#items.length);
        this.#items.push({
          ...this.#place(told),
          kind: 'call',
          ...named(entry),
          status: 'proposed',
          call: told as Told<EntryOf<'call'>>,
        });
        break;
      case 'asked':
        this.#update(entry, { asked: entry, status: 'asked' });
        break;
      case 'approval':
        this.#update(entry, { approval: entry, status: entry.answer === 'deny' ? 'denied' : 'proposed' });
        break;
      case 'resolved':
        this.#update(entry, { resolved: entry });
        break;
      case 'result':
        this.#finish(told as Told<EntryOf<'result'>>);
        break;
      default:
        this.#items.push({ ...this.#place(told), kind: entry.kind, told });
    }
  }

  #place({ entry, index }: Told) {
    return { key: `${entry.offset}.${index}`, offset: entry.offset, turn: this.#turn };
  }

  #finish(told: Told<EntryOf<'result'>>): void {
    const { entry } = told;
    const at = this.#find(entry.callId);
    const done = { result: told, status: entry.outcome as CallStatus };
    if (at === -1) this.#items.push({ ...this.#place(told), kind: 'call', ...named(entry), ...done });
    else this.#set(at, done);
    this.#calls = this.#calls.filter((place) => place !== at);
  }

  /** What is no entry of a transcript, and is told on the page all the same. */
  #note(event: KnownEvent): void {
    switch (event.type) {
      case 'tool.intent':
        this.#update(event, { intent: event, status: 'running' });
        break;
      case 'model.response':
        this.#usage = addReply(this.#usage, event.usage, event.cost);
        break;
      case 'workspace.checkpoint':
        this.#checkpoint = event;
        break;
      case 'session.config':
        if (this.#model !== undefined && this.#model !== event.model.name) this.#mark(event);
        this.#model = event.model.name;
        break;
      case 'session.fork':
      case 'workspace.restore':
      case 'log.repair':
        this.#mark(event);
        break;
      case 'session.end':
        this.#end(event);
        break;
    }
  }

  #mark(event: MarkItem['event']): void {
    this.#items.push({ key: `${event.seq}`, offset: event.seq, turn: this.#turn, kind: 'mark', event });
  }

  #end(event: EventOf<'session.end'>): void {
    this.#items.push({
      key: `${event.seq}`,
      offset: event.seq,
      turn: this.#turn,
      kind: 'end',
      event,
      usage: this.#usage,
      ...(this.#checkpoint === undefined ? {} : { checkpoint: this.#checkpoint }),
      ...(this.#startedAt === undefined ? {} : { startedAt: this.#startedAt }),
    });
    const model = this.#model === undefined ? {} : { model: this.#model };
    this.#turns.set(this.#turn, { turn: this.#turn, end: event.seq, ...model });
    this.#isOpen = false;
    this.#calls = [];
  }

  #find(callId: string): number {
    return this.#calls.find((at) => (this.#items[at] as CallItem).callId === callId) ?? -1;
  }

  #update({ callId }: { readonly callId: string }, change: Partial<CallItem>): void {
    const at = this.#find(callId);
    if (at !== -1) this.#set(at, change);
  }

  #set(at: number, change: Partial<CallItem>): void {
    this.#items[at] = { ...(this.#items[at] as CallItem), ...change };
  }
}

function named({ callId, tool }: Extract<TranscriptEntry, { readonly tool: string }>) {
  return { callId, tool };
}
