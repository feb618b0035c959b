/**
 * The log of a run that is ours, and what it amounts to: the one way in which anything is recorded.
 *
 * 1. Every event that is appended is folded, in the order of the log; nothing about the run is remembered elsewhere.
 * 2. `record` does not wait for the disk, `recordDurably` does. What is recorded in one turn of the event loop is made
 *    durable together: a step of the walk and the intents it leads to cost one sync.
 */
import type { EventDraft, LoggedEvent, NodePath, RunFold, RunState } from '@ramet/core';
import type { OwnedLog } from '../store/index.ts';
import type { CallHistory } from './history/calls.ts';
import type { RunObserver } from './types.ts';

export interface Journal {
  readonly log: OwnedLog;
  readonly state: RunState;
  /** What this run has called. */
  readonly calls: CallHistory;
  /** Nodes whose latest `node.enter` was recorded here, and which have no exit. */
  readonly taken: ReadonlySet<NodePath>;
  /** Those of `taken` that go on where an attempt of this very run stopped before it had failed. */
  readonly goingOn: ReadonlySet<NodePath>;
  record(drafts: readonly EventDraft[]): Promise<readonly LoggedEvent[]>;
  recordDurably(drafts: readonly EventDraft[]): Promise<readonly LoggedEvent[]>;
  /** Makes all that was recorded durable. */
  flush(): Promise<void>;
  /** A node that only waits for a person's word is not driven any more. */
  letGo(path: NodePath): void;
  /** Calls back after events from which something else may follow, until the next `watch`. */
  watch(changed: () => void): void;
}

/** Opens the journal of a log whose events the fold has seen. */
export function openJournal(log: OwnedLog, folded: JournalStart): Journal {
  return new RunJournal(log, folded);
}

/** What was folded of the log so far, and who watches it. */
export interface JournalStart {
  readonly fold: RunFold;
  readonly calls: CallHistory;
  readonly observer: RunObserver;
}

class RunJournal implements Journal {
  readonly log: OwnedLog;
  readonly calls: CallHistory;
  readonly taken = new Set<NodePath>();
  readonly goingOn = new Set<NodePath>();
  readonly #fold: RunFold;
  readonly #observer: RunObserver;
  #isDirty = false;
  /** The latest flush, and whether what is recorded now still becomes a part of it. */
  #flushing: Promise<void> = Promise.resolve();
  #isOpen = false;
  #changed: () => void = () => {};

  constructor(log: OwnedLog, { fold, calls, observer }: JournalStart) {
    this.log = log;
    this.calls = calls;
    this.#fold = fold;
    this.#observer = observer;
  }

  get state(): RunState {
    return this.#fold.state;
  }

  async record(drafts: readonly EventDraft[]): Promise<readonly LoggedEvent[]> {
    if (drafts.length === 0) return [];
    this.#isDirty = true;
    const events = await this.log.append(drafts, { durable: false });
    for (const event of events) this.#take(event);
    // What a node begins to do changes nothing that is to be done beside it.
    if (events.some(({ type }) => type !== 'tool.intent')) this.#changed();
    return events;
  }

  async recordDurably(drafts: readonly EventDraft[]): Promise<readonly LoggedEvent[]> {
    const events = await this.record(drafts);
    await this.flush();
    return events;
  }

  flush(): Promise<void> {
    if (this.#isDirty && !this.#isOpen) {
      this.#isOpen = true;
      this.#flushing = this.#flushSoon();
    }
    return this.#flushing;
  }

  letGo(path: NodePath): void {
    this.taken.delete(path);
  }

  watch(changed: () => void): void {
    this.#changed = changed;
  }

  async #flushSoon(): Promise<void> {
    // Others that run now record what belongs to the same sync.
    await new Promise((resolve) => setImmediate(resolve));
    this.#isOpen = false;
    this.#isDirty = false;
    await this.log.append([], { durable: true });
  }

  #take(event: LoggedEvent): void {
    const { type, node } = event;
    if (node !== undefined && type === 'node.enter') this.#enter(node);
    if (node !== undefined && type === 'node.exit') this.#exit(node);
    this.#fold.add(event);
    this.calls.add(event);
    this.#observer.event?.(event);
  }

  /** Before the event is folded. */
  #enter(path: NodePath): void {
    const { nodes, inheritedThrough } = this.state;
    const before = nodes.get(path);
    const stopped = before?.status === 'running' || before?.status === 'interrupted';
    if (stopped && before.attempt > 0 && before.lastEntered > inheritedThrough) this.goingOn.add(path);
    this.taken.add(path);
  }

  #exit(path: NodePath): void {
    this.taken.delete(path);
    this.goingOn.delete(path);
  }
}
