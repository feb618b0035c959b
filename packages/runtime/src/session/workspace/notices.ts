import type { EventOf } from '@ramet/core';

/**
 * Words to the agent about files that are not what the conversation says; null when there is nothing to say. Made from
 * the recorded event, so that a crash between the restore and the message loses no word.
 */
export function describeRestore(event: EventOf<'workspace.restore'> | undefined): string | null {
  if (event === undefined) return null;
  const { outcome, reason } = event;
  // The reason may hold paths of the host: it is for the person.
  if (outcome === 'fresh') return FRESH;
  if (outcome === 'shared') return SHARED;
  return reason === undefined ? null : REBUILT;
}

const FRESH =
  'Note from Ramet: your files were not restored. You work in a fresh copy of the project, without what this conversation says was changed.';
const REBUILT =
  'Note from Ramet: your working folder was gone and was rebuilt from the last checkpoint; later changes are lost.';
const SHARED =
  'Note from Ramet: your folder is shared with the one that this conversation was forked from, and was not brought back to this point: look before you rely on it.';
