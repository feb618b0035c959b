import type { SessionDetail } from '@ramet/client';
import { useMemo, useState } from 'react';
import type { LogView } from '../log/run-log.ts';
import { TranscriptBuilder } from './builder.ts';
import type { Transcript } from './types.ts';

type Turns = Pick<SessionDetail, 'turns'>['turns'];

/** The transcript of what is loaded; `turns` tell how many there were before that. Null until enough is known. */
export function useTranscript(view: LogView, turns: Turns | undefined): Transcript | null {
  const [cache] = useState(() => new TranscriptCache());
  return useMemo(() => {
    if (view.first > 0 && turns === undefined) return null;
    return cache.catchUp(view, turns ?? []);
  }, [cache, view, turns]);
}

/** Adds what came to what was built before: the same view gives the same transcript, however often it is asked. */
class TranscriptCache {
  #builder: TranscriptBuilder | undefined;
  #generation = -1;
  #transcript: Transcript | undefined;

  catchUp({ events, first, generation }: LogView, turns: Turns): Transcript {
    let builder = this.#builder;
    if (builder === undefined || generation !== this.#generation || builder.count > events.length) {
      const before = turns.filter(({ start }) => start.offset < first);
      const end = before.at(-1)?.end;
      const isOpen = before.length > 0 && (end === null || end === undefined || end.offset >= first);
      builder = new TranscriptBuilder({ turnsBefore: before.length, isOpen });
      this.#transcript = undefined;
    }
    this.#builder = builder;
    this.#generation = generation;
    if (this.#transcript !== undefined && builder.count === events.length) return this.#transcript;
    for (const event of events.slice(builder.count)) builder.add(event);
    this.#transcript = builder.transcript;
    return this.#transcript;
  }
}
