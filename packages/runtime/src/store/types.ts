/**
 * What the rest of Ramet knows of a store of runs. The file store and the in-memory one pass one contract suite.
 *
 * 1. A run has at most one owner; only the owner appends.
 * 2. What `append` returned with `durable: true` survives a crash, and so does everything before it.
 * 3. A staged run is in no list and has no reader before `commit`, and is complete after it.
 * 4. Reading takes no lock and disturbs nobody.
 */
import type {
  EventDraft,
  ForkPlan,
  ForkSource,
  LoggedEvent,
  Refusal,
  RunForkPlan,
  RunId,
  SegmentHead,
} from '@ramet/core';

/** Where a log is damaged. */
export interface LogDamage {
  /** Name of the segment. */
  readonly segment: string;
  /** Line in the segment, from 1. */
  readonly line: number;
  /** Byte in the segment at which the line begins. */
  readonly byte: number;
  /** Offset the line should have. */
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
}

/** The outline of a whole log: its undamaged part, what is wrong after it, and what a crash left at its end. */
export interface LogOutline extends ForkSource {
  readonly damage: LogDamage | null;
  /** Bytes after the last newline. */
  readonly tornBytes: number;
  /** The bytes of one line of one segment, without its newline, or of more with the newlines between them. */
  readLineBytes(segment: number, position: number, bytes: number): Uint8Array;
  /** The same of several places in one segment, in the order they are asked for. */
  readSpans(
    segment: number,
    spans: readonly { readonly position: number; readonly bytes: number }[],
  ): readonly Uint8Array[];
}

export interface OutlineOptions {
  /** Believe no index: read and check every byte. */
  readonly full?: boolean;
}

/** A log to read. */
export interface LogReader {
  readonly id: RunId;
  readOutline(options?: OutlineOptions): LogOutline;
  /** Events from one offset (default 0) through another (default the last), parsed; throws `log_damaged`. */
  readEvents(range?: { readonly from?: number; readonly to?: number }): Generator<LoggedEvent>;
  /** Lines as bytes, newlines included, for export and comparison. */
  readBytes(range?: { readonly from?: number; readonly to?: number }): Generator<Uint8Array>;
  /** A payload, or null when it is missing. Not checked against its digest; `verify` does that. */
  readPayload(digest: string): Uint8Array | null;
}

export interface AppendOptions {
  /** Wait until it survives a crash. */
  readonly durable: boolean;
}

/** A log that is ours alone until `close`. */
export interface OwnedLog extends LogReader {
  /**
   * Appends events in order; returns them with their envelopes. An error leaves none of them, a crash a beginning of
   * them. Calls are served in the order they are made.
   */
  append(drafts: readonly EventDraft[], options: AppendOptions): Promise<readonly LoggedEvent[]>;
  /** Where the next event goes. */
  readonly next: number;
  /** Whether the previous owner died with a turn open or a torn tail. */
  readonly repaired: boolean;
  close(): void;
}

/**
 * A log nobody may append to until `close`, or one this process owns. `readOutline` is of the moment it was shared, and
 * all in it is durable once a fork of it is committed.
 */
export interface SharedLog extends LogReader {
  /** Owned by this very process: a turn may be running. */
  readonly live: boolean;
  close(): void;
}

export interface StagedRun {
  readonly id: RunId;
  /** Bytes the run does not share with another. */
  readonly bytes: { readonly own: number; readonly shared: number };
  /** Digests of payloads of the prefix that its source has lost: the run misses them as the source does. */
  readonly missingPayloads: readonly string[];
  append(drafts: readonly EventDraft[]): readonly LoggedEvent[];
  /** Puts the run into the store. `beforeRename` runs when everything else is durable. */
  commit(beforeRename?: () => void): Promise<void>;
  /** Removes every trace. */
  discard(): void;
}

export interface RunStore {
  listRuns(): readonly RunId[];
  /** Null when there is no such run. */
  read(id: RunId): LogReader | null;
  /** Takes ownership; repairs a torn tail. Refuses with `unknown_run`, `owned_elsewhere`, `log_damaged`, `log_newer`. */
  own(id: RunId): Promise<OwnedLog | Refusal>;
  /** Refuses with `unknown_run`, `owned_elsewhere`. The options are those of the outline it answers with. */
  share(id: RunId, options?: OutlineOptions): Promise<SharedLog | Refusal>;
  /**
   * Begins a run, empty or with the prefix of a plan; throws `owned_elsewhere` while another builds this very run. Of a
   * graph run the first event that is appended is its own event 0, which the prefix comes after.
   */
  stage(id: RunId, prefix?: { readonly source: SharedLog; readonly plan: ForkPlan | RunForkPlan }): StagedRun;
  /** Removes a run and all that lies beside its log, and retires the key that made it. Refuses with `unknown_run`, `owned_elsewhere`. */
  remove(id: RunId): Promise<Refusal | null>;
  /** The run an idempotency key made, or null. */
  readKey(hash: string): KeyRecord | null;
  /** Binds a key to a run, durably; false when it is bound already. */
  claimKey(hash: string, record: KeyRecord): boolean;
  /** Says of a key that its child was removed. */
  retireKey(hash: string): void;
  /** Whether a living process is building this run. */
  isStaged(id: RunId): boolean;
  /** What is known of who owns a run, or null when nobody does. */
  ownerOf(id: RunId): OwnerInfo | null;
}

/** What an idempotency key stands for. */
export interface KeyRecord {
  readonly child: RunId;
  /** Digest of the request the key was first used with. */
  readonly request: string;
  readonly removed?: true;
}

/** Words of an owner about itself, for messages only. */
export interface OwnerInfo {
  readonly pid?: number;
  readonly host?: string;
  readonly start?: string;
  readonly self: boolean;
}

/** Whether heads describe an empty log. */
export function isEmptyLog(heads: readonly SegmentHead[]): boolean {
  return heads.every((head) => head.count === 0);
}
