/**
 * Everything this process drives, by run.
 *
 * 1. Whoever begins something hears that it began, or why it did not; how it goes on is in its log.
 * 2. What fails or throws ends alone.
 * 3. An intent is kept for as long as the work is to be gone on with: until it ended, or waits for a person's word.
 */
import {
  describeError,
  type ErrorInfo,
  isRefusal,
  type LoggedEvent,
  type Refusal,
  type RunId,
  refuse,
} from '@ramet/core';
import type { DaemonReport, LiveText } from '../types.ts';
import { Driven, type DrivenHooks } from './driven.ts';
import type { Intent, Intents } from './intents.ts';

/** Something to drive. */
export interface Job<T> {
  readonly intent: Intent;
  /** Whether an event says that it has begun. */
  readonly isBegun: (event: LoggedEvent) => boolean;
  /** Drives it to its end. */
  readonly act: (driven: Driven) => Promise<T | Refusal>;
  readonly describeEnd: (result: T, driven: Driven) => JobEnd;
}

/** How driving ended. */
export interface JobEnd {
  readonly status: string;
  /** Whether nothing more is to be done with it by itself. */
  readonly isOver: boolean;
}

/** What begins a job hears: it began, or came to an end at once. */
export type Begun<T> = { readonly kind: 'begun'; readonly id: RunId } | { readonly kind: 'ended'; readonly result: T };

export interface SupervisorOptions {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly intents: Intents;
  readonly publish: (id: RunId, live: LiveText) => void;
  readonly report: (report: DaemonReport) => void;
}

/** How many runs are remembered whose last try failed. */
const REMEMBERED_ERRORS = 500;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #working = new Map<Driven, Promise<unknown>>();
  readonly #byRun = new Map<RunId, Driven>();
  readonly #errors = new Map<RunId, ErrorInfo>();
  readonly #listeners = new Set<(id: RunId) => void>();
  #isClosing = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** What is at work in a run, or opens it. */
  find(id: RunId): Driven | null {
    return this.#byRun.get(id) ?? null;
  }

  errorOf(id: RunId): ErrorInfo | null {
    return this.#errors.get(id) ?? null;
  }

  list(): readonly Driven[] {
    return [...this.#byRun.values()];
  }

  /** What is at work in a run; waits for one whose end is recorded, since whoever saw that may go on at once. */
  async findAtWork(id: RunId): Promise<Driven | null> {
    const driven = this.find(id);
    if (driven?.isEnding !== true) return driven;
    await driven.ended;
    return this.find(id);
  }

  /** Begins a job; a refusal, and what it throws, before it has begun is for the caller. */
  async begin<T>(job: Job<T>): Promise<Begun<T> | Refusal> {
    if (this.#isClosing) return refuse('interrupted', 'the daemon is ending and takes no more work; start it again');
    const driven = new Driven(this.#makeHooks(job.intent), job.isBegun);
    const ended = this.#drive(job, driven);
    this.#working.set(driven, ended);
    const begun = driven.begun.then((): Begun<T> | Refusal => ({ kind: 'begun', id: idOf(driven) }));
    // Once it has begun nobody waits for its end but `close`.
    ended.catch(() => {});
    return Promise.race([begun, ended]);
  }

  /** Remembers why a run does not go on, for whoever looks at it. */
  noteError(id: RunId, { code, message }: ErrorInfo): void {
    this.#errors.delete(id);
    this.#errors.set(id, { code, message });
    const [oldest] = this.#errors.keys();
    if (oldest !== undefined && this.#errors.size > REMEMBERED_ERRORS) this.#errors.delete(oldest);
    this.#options.report({ kind: 'failed', id, code });
    this.#changed(id);
  }

  watch(listener: (id: RunId) => void): () => void {
    const own = (id: RunId): void => listener(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Takes no more work, suspends what there is, and waits for it; what is not done by then is left as a crash leaves it. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const driven of this.#working.keys()) driven.suspend();
    const timer = new AbortController();
    const grace = this.#options.sleep(graceMs, timer.signal).catch(() => {});
    await Promise.race([Promise.allSettled(this.#working.values()), grace]);
    timer.abort();
    for (const driven of this.#working.keys()) {
      if (driven.id !== null) this.#options.report({ kind: 'left', id: driven.id });
    }
  }

  async #drive<T>(job: Job<T>, driven: Driven): Promise<Begun<T> | Refusal> {
    try {
      const result = await job.act(driven);
      if (isRefusal(result)) return this.#refused(driven, result);
      const { status, isOver } = job.describeEnd(result, driven);
      if (driven.id !== null && driven.isOwner) {
        if (isOver) this.#forget(driven, driven.id);
        this.#options.report({ kind: 'ended', id: driven.id, status });
      }
      return { kind: 'ended', result };
    } catch (error) {
      if (driven.id !== null) this.noteError(driven.id, describeError(error));
      throw error;
    } finally {
      this.#leave(driven);
    }
  }

  /** Who opened it may have recorded something before it was refused. */
  #refused(driven: Driven, refusal: Refusal): Refusal {
    if (driven.id !== null && driven.isOwner) this.#forget(driven, driven.id);
    return refusal;
  }

  /** Whoever took the run over since has an intent of its own. */
  #forget(driven: Driven, id: RunId): void {
    if (this.#byRun.get(id) === driven) this.#options.intents.remove(id);
  }

  #leave(driven: Driven): void {
    const { id } = driven;
    this.#working.delete(driven);
    if (id !== null && this.#byRun.get(id) === driven) {
      this.#byRun.delete(id);
      this.#changed(id);
    }
    driven.end();
  }

  #makeHooks(intent: Intent): DrivenHooks {
    const { now, publish, intents, report } = this.#options;
    return {
      now,
      publish,
      named: (driven) => {
        const id = idOf(driven);
        if (!this.#byRun.has(id)) this.#byRun.set(id, driven);
        this.#changed(id);
      },
      owned: (driven) => {
        const id = idOf(driven);
        // Whoever was at it before has let go of the log.
        this.#byRun.set(id, driven);
        this.#errors.delete(id);
        intents.write(id, intent);
        report({ kind: 'began', id, work: intent.kind });
        this.#changed(id);
      },
      changed: (driven) => this.#changed(idOf(driven)),
    };
  }

  #changed(id: RunId): void {
    for (const listener of this.#listeners) listener(id);
  }
}

function idOf({ id }: Driven): RunId {
  if (id === null) throw new Error('bug: work was at it before its run was known');
  return id;
}
