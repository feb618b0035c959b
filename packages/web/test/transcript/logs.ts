/** Events of sessions for the tests of transcripts, as a page gets them: parsed lines. */
import type { EventDraft, LoggedEvent } from '@ramet/core';
import { encodeLog } from '@ramet/testkit';

/** The events of a log, as they are parsed from its lines. */
export function eventsOf(drafts: readonly EventDraft[]): readonly LoggedEvent[] {
  return encodeLog(drafts).map(({ event }) => JSON.parse(JSON.stringify(event)) as LoggedEvent);
}
