import { decodeValue, type KnownEvent, knownEvent, type OutstandingWrite, type ToolOutput } from '@ramet/core';
import type { TurnContext } from '../context.ts';

/**
 * What an outstanding write answered, as long as the log that has it is there: the parent's, or that of an earlier
 * ancestor. Null when it is not known.
 */
export function findReceipt(context: TurnContext, write: OutstandingWrite): ToolOutput | null {
  const { store } = context.services;
  const ancestors = new Set(context.fold.state.ancestors);
  for (const id of ancestors) {
    const log = store.read(id);
    if (log === null || log.readOutline().damage !== null) continue;
    let found = false;
    for (const event of log.readEvents({ from: write.offset })) {
      const known: KnownEvent | null = knownEvent(event);
      if (!found) {
        if (known?.type !== 'tool.intent' || known.key !== write.key) break;
        found = true;
      } else if (known?.type === 'session.end') break;
      else if (known?.type === 'tool.result' && known.callId === write.callId) {
        return decodeValue(known.output, log.readPayload) as ToolOutput;
      }
    }
  }
  return null;
}
