/** A turn that the daemon drives, as `ramet run` shows and answers it. */
import type { Client } from '@ramet/client';
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { viewSession } from '@ramet/runtime/inspect';
import type { ApprovalQuestion, TurnObserver, TurnRequest, TurnResult } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import type { Asker } from '../commands/settings.ts';
import type { CliContext, Interruption } from '../context.ts';
import type { RunFlags } from '../flags.ts';
import { followDaemon } from './follow.ts';
import { describeSettings } from './settings.ts';
import { readTurnResult } from './turn-result.ts';

export interface TurnThere extends Pick<TurnRequest, 'prompt' | 'attachments'> {
  readonly store: FileStore;
  readonly id: RunId;
  readonly flags: RunFlags;
  readonly observer: TurnObserver;
  /** Absent: nobody is here to ask. */
  readonly ask?: Asker<ApprovalQuestion>;
  readonly interruption: Interruption;
}

/** Sends the message, or without one joins the turn that is running, and follows it to its end. */
export async function takeTurnThere(
  context: CliContext,
  client: Client,
  turn: TurnThere,
): Promise<TurnResult | Refusal> {
  const { store, id, prompt, observer, ask, interruption } = turn;
  const view = viewSession(store, id);
  if (isRefusal(view)) return view;
  const begun = view.turns.at(-1)?.start.offset ?? 0;
  if (prompt !== null) await sendMessage(context, client, { ...turn, prompt });
  const from = prompt === null ? begun : view.events;
  const left = await followDaemon(context, client, {
    store,
    id,
    from,
    observer,
    interruption,
    ...(ask === undefined ? {} : { ask }),
  });
  return left ?? readTurnResult(store, id);
}

async function sendMessage(
  context: CliContext,
  client: Client,
  { id, prompt, attachments, flags, interruption, ask }: TurnThere & { readonly prompt: string },
): Promise<void> {
  const { maxRequests, forgetRules } = flags;
  const limits = maxRequests === undefined ? {} : { maxRequests };
  const settings = describeSettings(context, flags, { interruption, isAsked: ask !== undefined, limits });
  const files = attachments.map(({ mediaType, filename, data }) => ({
    mediaType,
    filename,
    data: Buffer.from(data).toString('base64'),
  }));
  const body = { ...settings, prompt, attachments: files, ...(forgetRules === true ? { forgetRules } : {}) };
  await client.call('sendMessage', { path: { id }, body });
}
