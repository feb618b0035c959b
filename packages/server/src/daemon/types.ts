/**
 * What the daemon does with sessions and runs, for whoever serves it over HTTP.
 *
 * 1. Whatever is begun goes on without its caller: an answer says that it began. How it goes on is in the log.
 * 2. One that fails or throws ends alone: the daemon and everything else it drives go on.
 * 3. What is begun is known on disk first: after a crash or a restart it is taken up by the rules of the engine.
 */
import type { Refusal, RunId } from '@ramet/core';
import type { RunForkResult } from '@ramet/runtime/fork';
import type { RunForkOptions, RunServices } from '@ramet/runtime/graph';
import type {
  AnsweredGateAnswer,
  AskAnswerBody,
  GateAnswerBody,
  LiveAnswer,
  NewMessageBody,
  NewRunBody,
  NewSessionBody,
  SettingsBody,
  StartedRunAnswer,
  StartedTurnAnswer,
} from '../contract/bodies.ts';

/** A request that makes something, and the key that makes it once. */
export interface Keyed<T> {
  readonly body: T;
  readonly key?: string;
}

/** Drives sessions and runs. */
export interface Daemon {
  createSession(request: Keyed<NewSessionBody>): Promise<StartedTurnAnswer | Refusal>;
  sendMessage(id: RunId, request: Keyed<NewMessageBody>): Promise<StartedTurnAnswer | Refusal>;
  /** Goes on with an open turn. */
  continueTurn(id: RunId, settings: SettingsBody): Promise<StartedTurnAnswer | Refusal>;
  createRun(request: Keyed<NewRunBody>): Promise<StartedRunAnswer | Refusal>;
  resumeRun(id: RunId, settings: SettingsBody): Promise<StartedRunAnswer | Refusal>;
  /** Records the answer and, unless told otherwise, goes on with the run. */
  answerGate(id: RunId, answer: GateAnswerBody): Promise<AnsweredGateAnswer | Refusal>;
  /** Forks, and goes on with the child when `settings` are given. */
  forkRun(id: RunId, options: RunForkOptions, settings: SettingsBody | null): Promise<RunForkResult | Refusal>;
  /** Stops what this daemon drives, as the first Ctrl-C does; refuses one it does not drive. */
  interrupt(id: RunId): Refusal | null;
  /** Answers a call that waits; refuses one that does not wait (any more). */
  answerAsk(id: RunId, callId: string, answer: AskAnswerBody): Refusal | null;
  /** Who works on it, and what it asks. */
  liveOf(id: RunId): LiveAnswer;
  /** Everything that waits for an answer in what this daemon drives. */
  listAsks(): readonly { readonly id: RunId; readonly since: string; readonly ask: LiveAnswer['asks'][number] }[];
  /** Calls back when `liveOf` of a run changed; answers how to stop that. */
  watchLive(listener: (id: RunId) => void): () => void;
  /** Stops taking work, suspends what runs so that it can be taken up, and ends. */
  close(): Promise<void>;
}

/** What is published of a run as it happens: a model's words as they come, a command's output, a line of progress. */
export interface LiveText {
  readonly kind: 'text' | 'reasoning' | 'output' | 'notice';
  readonly text: string;
}

/** What an operator is told; no prompt, input or output is ever in it. */
export type DaemonReport =
  | { readonly kind: 'began'; readonly id: RunId; readonly work: 'turn' | 'run' }
  | { readonly kind: 'ended'; readonly id: RunId; readonly status: string }
  | { readonly kind: 'failed'; readonly id: RunId; readonly code: string }
  /** Begun before this daemon was, and not gone on with: it ended, is another's, or is gone. */
  | { readonly kind: 'dropped'; readonly id: RunId; readonly code: string }
  /** Not suspended in time: it is taken up as after a crash. */
  | { readonly kind: 'left'; readonly id: RunId };

export interface DaemonOptions {
  readonly services: RunServices;
  /** Where relative paths of scripts start, for requests that name no folder. */
  readonly cwd: string;
  readonly publish: (id: RunId, live: LiveText) => void;
  readonly report?: (report: DaemonReport) => void;
  /** How long `close` waits for what it suspends. */
  readonly graceMs?: number;
}
