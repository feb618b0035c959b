/**
 * Sessions for tests: a repository, a state folder, and turns played by scripts, through the real store, workspace and
 * sandbox. `turn` and `fork` are the T(S, sh) and F(S, n) of the cases.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventOf,
  type EventType,
  isRefusal,
  type LoggedEvent,
  makeRunId,
  type Refusal,
  type RunId,
} from '@ramet/core';
import { type ForkOptions, type ForkResult, forkSession } from '@ramet/runtime/fork';
import {
  type NewSession,
  runTurn,
  type SessionServices,
  type TurnObserver,
  type TurnRequest,
  type TurnResult,
  type TurnSettings,
} from '@ramet/runtime/session';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { auditStore } from './auditor/index.ts';
import { type Fingerprint, takeFingerprint } from './fingerprint.ts';
import { makeRepository, makeScratchArea, type ScratchArea } from './scratch-repository.ts';

/** A reply of a scripted model. */
export interface ScriptReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}

export interface TurnOptions {
  /** Absent: a prompt of its own; null continues the open turn. */
  readonly prompt?: string | null;
  readonly settings?: Partial<TurnSettings>;
  readonly attachments?: TurnRequest['attachments'];
  /** Of the message to a session there is. */
  readonly idempotencyKey?: string;
  /** Of a new session. */
  readonly created?: Partial<NewSession>;
  readonly observer?: TurnObserver;
  /** Replaces parts of the services: a fake sleep, another environment. */
  readonly services?: Partial<SessionServices>;
}

/** A turn that ended, as `runTurn` answers it. */
export type EndedTurn = Extract<TurnResult, { readonly kind: 'ended' }>;

export interface SessionHarness {
  readonly area: ScratchArea;
  readonly repository: string;
  /** The state folder. */
  readonly home: string;
  readonly store: FileStore;
  readonly services: SessionServices;
  /** Writes a script and answers the model's name. */
  writeScript(replies: readonly ScriptReply[]): string;
  /** Runs one turn; null makes a new session. Without replies the session's last model is used. */
  run(
    session: RunId | null,
    replies: readonly ScriptReply[] | null,
    options?: TurnOptions,
  ): Promise<TurnResult | Refusal>;
  /** T(S, sh): one shell call, then the turn ends. Throws when the turn did not end. */
  turn(session: RunId | null, command: string, options?: TurnOptions): Promise<EndedTurn>;
  /** F(S, n): a fork at the n-th completed turn, from 1. */
  fork(session: RunId, turn: number, options?: Omit<ForkOptions, 'at'>): Promise<RunId>;
  tryFork(session: RunId, options: ForkOptions): Promise<ForkResult | Refusal>;
  workspaceOf(session: RunId): string;
  logOf(session: RunId): Buffer;
  fingerprintOf(session: RunId): Promise<Fingerprint>;
  eventsOf(session: RunId): readonly LoggedEvent[];
  eventsOfType<T extends EventType>(session: RunId, type: T): readonly EventOf<T>[];
  /** What the auditor says about the whole store, as sentences. */
  problems(): readonly string[];
  /** Copies the state folder aside; `restoreState` brings that copy back in place. */
  saveState(name: string): void;
  restoreState(name: string): void;
  remove(): void;
}

export interface HarnessOptions {
  /** Files of the repository's one commit; null makes none. */
  readonly files?: Readonly<Record<string, string>>;
  /** Seal segments above this many bytes. */
  readonly sealBytes?: number;
}

/** Makes a repository and an empty state folder below a temporary folder. */
export function makeSessionHarness(options: HarnessOptions = {}): SessionHarness {
  const area = makeScratchArea();
  const repository = makeRepository(area, 'project', options.files ?? { 'base.txt': 'base\n' });
  area.git(repository, 'config', 'user.name', 'Ada');
  area.git(repository, 'config', 'user.email', 'ada@example.org');
  const home = join(area.folder, 'state');
  const { sealBytes } = options;
  const store = openFileStore({ home, now: Date.now, ...(sealBytes === undefined ? {} : { sealBytes }) });
  return new Harness(area, repository, store);
}

/** One shell call as a scripted reply. */
export function callShell(command: string): ScriptReply {
  return callTool('shell', { command });
}

/** One call of a tool as a scripted reply. */
export function callTool(name: string, input: unknown): ScriptReply {
  return { toolCalls: [{ name, input }] };
}

/** What turns and graph runs have when nobody watches: nobody to ask, denied if asked. */
export function makeUnwatched() {
  return {
    sandbox: 'auto',
    allowNet: [],
    rules: [],
    trustProject: false,
    limits: {},
    onAsk: 'deny',
    observer: {},
    signal: new AbortController().signal,
  } as const;
}

/** Settings of a turn nobody watches. */
export function makeSettings(settings: Partial<TurnSettings> = {}): TurnSettings {
  return { ...makeUnwatched(), ...settings };
}

class Harness implements SessionHarness {
  readonly area: ScratchArea;
  readonly repository: string;
  readonly store: FileStore;
  readonly services: SessionServices;
  #scripts = 0;

  constructor(area: ScratchArea, repository: string, store: FileStore) {
    this.area = area;
    this.repository = repository;
    this.store = store;
    const env = { PATH: process.env.PATH, HOME: area.home, XDG_CONFIG_HOME: join(area.folder, 'config') };
    this.services = {
      store,
      now: Date.now,
      randomBytes: (count) => randomBytes(count),
      env,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    };
  }

  get home(): string {
    return this.store.layout.home;
  }

  writeScript(replies: readonly ScriptReply[]): string {
    this.#scripts += 1;
    const path = join(this.area.folder, `script-${this.#scripts}.json`);
    writeFileSync(path, JSON.stringify(replies));
    return `scripted:${path}`;
  }

  run(
    session: RunId | null,
    replies: readonly ScriptReply[] | null,
    options: TurnOptions = {},
  ): Promise<TurnResult | Refusal> {
    const { prompt = 'do it', attachments = [], observer = {}, created, idempotencyKey } = options;
    const cwd = this.repository;
    const settings = makeSettings({
      ...(replies === null ? {} : { model: this.writeScript(replies) }),
      observer,
      ...options.settings,
    });
    const request: TurnRequest = {
      session:
        session === null
          ? { kind: 'new', options: { cwd, allowDirty: false, ...created } }
          : { kind: 'open', id: session },
      prompt,
      cwd,
      attachments,
      settings,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    return runTurn({ ...this.services, ...options.services }, request);
  }

  async turn(session: RunId | null, command: string, options: TurnOptions = {}): Promise<EndedTurn> {
    const result = await this.run(session, [callShell(command), { text: 'done' }], options);
    if (isRefusal(result) || result.kind !== 'ended') throw new Error(`no ended turn: ${JSON.stringify(result)}`);
    return result;
  }

  async fork(session: RunId, turn: number, options: Omit<ForkOptions, 'at'> = {}): Promise<RunId> {
    const end = this.eventsOfType(session, 'session.end')[turn - 1];
    if (end === undefined) throw new Error(`session ${session} has no turn ${turn}`);
    const forked = await this.tryFork(session, { ...options, at: end.seq });
    if (isRefusal(forked) || forked.session === null) throw new Error(`no fork: ${JSON.stringify(forked)}`);
    return forked.session;
  }

  tryFork(session: RunId, options: ForkOptions): Promise<ForkResult | Refusal> {
    const makeId = (): RunId => makeRunId(Date.now(), randomBytes(10));
    return forkSession({ store: this.store, makeId }, session, options);
  }

  workspaceOf(session: RunId): string {
    return this.store.pathsOf(session).workspace;
  }

  logOf(session: RunId): Buffer {
    return Buffer.concat([...(this.store.read(session)?.readBytes() ?? [])]);
  }

  fingerprintOf(session: RunId): Promise<Fingerprint> {
    return takeFingerprint(this.workspaceOf(session));
  }

  eventsOf(session: RunId): readonly LoggedEvent[] {
    return [...(this.store.read(session)?.readEvents() ?? [])];
  }

  eventsOfType<T extends EventType>(session: RunId, type: T): readonly EventOf<T>[] {
    return this.eventsOf(session).filter((event): event is LoggedEvent & EventOf<T> => event.type === type);
  }

  problems(): readonly string[] {
    return auditStore(this.home).map((problem) => JSON.stringify(problem));
  }

  saveState(name: string): void {
    const copy = join(this.area.folder, `saved-${name}`);
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(this.home, { recursive: true });
    cpSync(this.home, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }

  restoreState(name: string): void {
    rmSync(this.home, { recursive: true, force: true });
    const copy = join(this.area.folder, `saved-${name}`);
    cpSync(copy, this.home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }

  remove(): void {
    this.area.remove();
  }
}
