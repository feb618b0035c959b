/**
 * The questions of one turn or run that wait for a person, in memory: each is in the log before it is asked, so one that
 * is lost with the process is asked again by whoever goes on.
 *
 * 1. A question is answered once, and ends with the work that asks it.
 */
import { type NodePath, type Refusal, refuse } from '@ramet/core';
import type { ApprovalQuestion, ApprovalReply } from '@ramet/runtime/session';
import type { AskAnswerBody, AskValue } from '../../contract/bodies.ts';

/** A question about a call; `node` where a node of a graph run makes it. */
export type Question = ApprovalQuestion & { readonly node?: NodePath };

/** A question that waits, and since when. */
export interface OpenAsk {
  /** RFC 3339. */
  readonly since: string;
  readonly ask: AskValue;
}

interface Waiting extends OpenAsk {
  readonly reply: (reply: ApprovalReply) => void;
}

export interface Asks {
  readonly open: readonly OpenAsk[];
  /** Waits for an answer; rejects with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<ApprovalReply>;
  /** Answers a question; refuses one that nobody asks (any more). */
  answer(callId: string, answer: AskAnswerBody): Refusal | null;
}

/** Makes a place to ask; `changed` is called when a question comes or goes. */
export function makeAsks(now: () => number, changed: () => void): Asks {
  const waiting = new Set<Waiting>();
  return {
    get open() {
      return [...waiting].map(({ since, ask }) => ({ since, ask }));
    },
    ask: async (question, signal) => {
      const { promise, resolve: reply, reject } = Promise.withResolvers<ApprovalReply>();
      const asked: Waiting = { since: new Date(now()).toISOString(), ask: describeAsk(question), reply };
      const stop = (): void => reject(signal.reason);
      signal.throwIfAborted();
      signal.addEventListener('abort', stop, { once: true });
      waiting.add(asked);
      changed();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', stop);
        waiting.delete(asked);
        changed();
      }
    },
    answer: (callId, answer) => {
      const asked = findAsked([...waiting], callId, answer.node);
      if (!('reply' in asked)) return asked;
      if (answer.answer === 'reuse' && !asked.ask.matches) {
        const message = `call ${callId} was not made before, so there is no receipt of it to use again`;
        return refuse('bad_usage', message, { callId });
      }
      // Gone before its waiter wakes: a second answer at the same moment finds nothing.
      waiting.delete(asked);
      asked.reply({ answer: answer.answer, scope: answer.scope ?? 'once', by: 'person' });
      return null;
    },
  };
}

function findAsked(waiting: readonly Waiting[], callId: string, node: string | undefined): Waiting | Refusal {
  const found = waiting.filter(({ ask }) => ask.callId === callId && (node === undefined || ask.node === node));
  const [only, another] = found;
  if (only === undefined) {
    const message = `call ${callId} waits for no answer: it was answered already, or nobody asks`;
    return refuse('nothing_to_do', message, { callId, asks: waiting.map(({ ask }) => ask.callId) });
  }
  if (another === undefined) return only;
  const nodes = found.map(({ ask }) => ask.node);
  return refuse('bad_usage', `several nodes ask about call ${callId}, name one: ${nodes.join(', ')}`, {
    callId,
    nodes,
  });
}

function describeAsk({ callId, node, tool, input, reason, outstanding, matches }: Question): AskValue {
  const asked = { callId, tool, input, reason, matches, outstanding: outstanding.map((write) => ({ ...write })) };
  return node === undefined ? asked : { ...asked, node };
}
