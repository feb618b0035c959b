/** Turns of sessions, as the daemon begins them and goes on with them. */
import { deriveSessionOverview, isRefusal, type LoggedEvent, parseRunId, type Refusal, type RunId } from '@ramet/core';
import { type NewSession, runTurn, type TurnRequest, type TurnResult } from '@ramet/runtime/session';
import type { NewMessageBody, NewSessionBody, StartedTurnAnswer } from '../contract/bodies.ts';
import { Settings } from '../contract/settings.ts';
import { given } from './given.ts';
import { explainOwned, isOwnedHere, refuseDriven } from './owned.ts';
import type { Parts } from './parts.ts';
import { refuseFolder } from './place.ts';
import { deriveTurnSettings } from './settings.ts';
import type { Daemon } from './types.ts';
import type { Intent } from './work/intents.ts';
import type { Begun, Job, JobEnd } from './work/supervisor.ts';

/** What the daemon does with sessions. */
export function makeTurns(parts: Parts): Pick<Daemon, 'createSession' | 'sendMessage' | 'continueTurn'> {
  const { supervisor, cwd: here } = parts;
  return {
    createSession: async ({ body, key }) => {
      const { cwd } = body;
      const nowhere = refuseFolder(cwd);
      if (nowhere !== null) return nowhere;
      const session = { kind: 'new', options: describeNew(body, key) } as const;
      return beginOnce(parts, key, makeTurn(parts, { session, cwd, body }));
    },
    sendMessage: async (id, { body, key }) => {
      const driven = await supervisor.findAtWork(id);
      // With a key it may be the very message that is being worked on.
      if (key === undefined && driven?.isOwner) return refuseDriven(id);
      const turn = makeTurn(parts, { session: { kind: 'open', id }, cwd: here, body, ...given({ key }) });
      const begun = await beginOnce(parts, key, turn);
      return isRefusal(begun) ? explainOwned(id, begun) : begun;
    },
    continueTurn: async (id, settings) => {
      await supervisor.findAtWork(id);
      const begun = await begin(parts, makeContinuation(parts, id, { kind: 'turn', cwd: here, settings }));
      return isRefusal(begun) ? explainOwned(id, begun) : begun;
    },
  };
}

/** The job that goes on with an open turn. */
export function makeContinuation({ services }: Parts, id: RunId, intent: Intent): Job<TurnResult> {
  const { cwd, settings } = intent;
  const request = { session: { kind: 'open', id }, prompt: null, cwd, attachments: [] } as const;
  return {
    intent,
    isBegun: () => true,
    act: (driven) => runTurn(services, { ...request, settings: deriveTurnSettings(settings, driven) }),
    describeEnd: describeTurnEnd,
  };
}

interface Turn extends Pick<TurnRequest, 'session' | 'cwd'> {
  readonly body: NewSessionBody | NewMessageBody;
  /** Of a message to a session there is. */
  readonly key?: string;
}

function makeTurn({ services }: Parts, { session, cwd, body, key }: Turn): Job<TurnResult> {
  const { prompt, attachments = [] } = body;
  const settings = Settings.parse(body);
  const files = attachments.map(({ mediaType, filename, data }) => ({
    mediaType,
    filename,
    data: new Uint8Array(Buffer.from(data, 'base64')),
  }));
  const request = { session, prompt, cwd, attachments: files, ...given({ idempotencyKey: key }) };
  return {
    intent: { kind: 'turn', cwd, settings },
    // What a new owner records before it is no turn yet.
    isBegun: ({ type }: LoggedEvent) => type === 'message',
    act: (driven) => runTurn(services, { ...request, settings: deriveTurnSettings(settings, driven) }),
    describeEnd: describeTurnEnd,
  };
}

/** How often a request is tried again because another with its key is just beginning, or ending. */
const ATTEMPTS = 5;

/** Begins a turn, or finds the one that another request with the same key is beginning at this moment. */
async function beginOnce(
  parts: Parts,
  key: string | undefined,
  turn: Job<TurnResult>,
): Promise<StartedTurnAnswer | Refusal> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const begun = await begin(parts, turn);
    if (key === undefined || left === 0 || !isRefusal(begun) || !isOwnedHere(begun)) return begun;
    const id = parseRunId(begun.data.id);
    const other = id === null ? null : parts.supervisor.find(id);
    await Promise.race([other?.begun, other?.ended]);
  }
}

async function begin(parts: Parts, job: Job<TurnResult>): Promise<StartedTurnAnswer | Refusal> {
  const begun = await parts.supervisor.begin(job);
  return isRefusal(begun) ? begun : describeStarted(parts, begun);
}

function describeStarted({ services }: Parts, begun: Begun<TurnResult>): StartedTurnAnswer {
  if (begun.kind === 'ended') return { session: begun.result.session, turn: begun.result.turn };
  const { id } = begun;
  const heads = services.store.read(id)?.readOutline().heads ?? [];
  return { session: id, turn: deriveSessionOverview(heads)?.turns ?? 0 };
}

function describeTurnEnd(result: TurnResult, { isSuspended }: { readonly isSuspended: boolean }): JobEnd {
  switch (result.kind) {
    case 'ended':
      return { status: result.end.reason, isOver: true };
    case 'parked':
      // A question that ends with this process is asked again by the next one.
      return { status: result.reason, isOver: !(isSuspended && result.reason === 'approval_pending') };
    case 'suspended':
      return { status: 'suspended', isOver: false };
    case 'repeated':
      return { status: 'repeated', isOver: true };
  }
}

function describeNew({ cwd, workspace, allowDirty, title }: NewSessionBody, key: string | undefined): NewSession {
  return { cwd, allowDirty: allowDirty === true, ...given({ workspace, title, idempotencyKey: key }) };
}
