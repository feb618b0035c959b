/** Puts the questions of a run that the daemon drives to whoever is here, one after the other, and sends the answers. */
import { ApiProblem, type Client } from '@ramet/client';
import type { NodePath, RunId } from '@ramet/core/events';
import type { ApprovalQuestion } from '@ramet/runtime/session';
import type { Asker } from '../commands/settings.ts';
import type { Live } from './connect.ts';

/** A question about a call; `node` where a node of a graph run makes it. */
export type Question = ApprovalQuestion & { readonly node: NodePath };

type Ask = Live['asks'][number];

export interface Answerer {
  /** Hears which questions are open now: new ones are asked, those that were answered elsewhere are taken back. */
  heed(open: readonly Ask[]): void;
  close(): void;
}

/** Makes one; `ask` asks. */
export function makeAnswerer(client: Client, id: RunId, ask: Asker<Question>): Answerer {
  const known = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  const put = async (open: Ask, { signal }: AbortController): Promise<void> => {
    if (signal.aborted) return;
    // Who answered elsewhere, or interrupted, has taken the question back.
    const reply = await ask(questionOf(open), signal).catch(() => null);
    if (reply === null) return;
    const { callId, node } = open;
    const body = { answer: reply.answer, scope: reply.scope, ...(node === undefined ? {} : { node }) };
    await client.call('answerApproval', { path: { id, callId }, body }).catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.code !== 'nothing_to_do') throw error;
    });
  };
  return {
    heed: (open) => {
      const current = new Set(open.map(keyOf));
      for (const [key, taken] of known) {
        if (current.has(key)) continue;
        taken.abort();
        known.delete(key);
      }
      for (const one of open) {
        if (known.has(keyOf(one))) continue;
        const taken = new AbortController();
        known.set(keyOf(one), taken);
        // One that cannot be sent stays open: others may answer it.
        last = last.then(() => put(one, taken)).catch(() => {});
      }
    },
    close: () => {
      for (const taken of known.values()) taken.abort();
    },
  };
}

function keyOf({ node = '', callId }: Ask): string {
  return `${node} ${callId}`;
}

function questionOf({ callId, node = '', tool, input, reason, outstanding, matches }: Ask): Question {
  return {
    callId,
    node,
    tool,
    input,
    reason,
    outstanding: outstanding as unknown as ApprovalQuestion['outstanding'],
    matches,
  };
}
