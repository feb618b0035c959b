/**
 * What can be said to a run while it is driven: its log is its driver's, so nobody else can record it.
 *
 * 1. Answers are judged one after another: each is judged by what is recorded when its turn comes.
 */
import type { EventDraft, Refusal } from '@ramet/core';
import { type AnsweredGate, type AnswerRequest, answerRecorded } from './answer-gate.ts';
import type { OpenRun } from './drive/types.ts';

/** A run that is being driven. */
export interface DrivenRun {
  /** Answers a gate as `answerGate` does; null when the run is not driven any more. */
  answerGate(request: Omit<AnswerRequest, 'id'>): Promise<AnsweredGate | Refusal | null>;
}

/** Opens a driven run to answers; `close` waits for those that are being recorded, and takes no more. */
export function openToAnswers({ id, journal }: OpenRun): { readonly driven: DrivenRun; close(): Promise<void> } {
  let isOpen = true;
  let last: Promise<unknown> = Promise.resolve();
  const record = (draft: EventDraft): Promise<unknown> => journal.recordDurably([draft]);
  const answer = async (request: Omit<AnswerRequest, 'id'>): Promise<AnsweredGate | Refusal | null> =>
    isOpen ? answerRecorded({ state: journal.state, log: journal.log, record }, { ...request, id }) : null;
  return {
    driven: {
      answerGate: (request) => {
        const answered = last.then(() => answer(request));
        last = answered.catch(() => {});
        return answered;
      },
    },
    close: async () => {
      isOpen = false;
      await last;
    },
  };
}
