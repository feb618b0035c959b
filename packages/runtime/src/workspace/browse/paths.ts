/** Paths that a stranger asks for, below the root of a checkpoint's working tree. */
import { type Refusal, refuse } from '@ramet/core/codes';
import { isGitName, isSafePath, toBytePath } from '../checkpoint/folder/names.ts';
import type { BytePath } from '../checkpoint/index.ts';

/** Linux takes no longer one. */
const LONGEST_BYTES = 4096;

/**
 * The names that lead to an entry, outermost first; none for the root. A text is UTF-8; a name that is not is asked for by its
 * bytes. Refuses with `bad_input` what could lead anywhere else (`..`, `.`, an empty name, a leading slash, a NUL).
 */
export function parseTreePath(path: string | Uint8Array): readonly BytePath[] | Refusal {
  const bytes = typeof path === 'string' ? toBytePath(path) : Buffer.from(path).toString('latin1');
  if (bytes === '') return [];
  if (bytes.length > LONGEST_BYTES) return refuseText(`it is longer than ${LONGEST_BYTES} bytes`);
  if (!isSafePath(bytes)) return refuseText('it must name something below the root: no `..`, `.`, empty name or NUL');
  const names = bytes.split('/');
  if (names.some(isGitName)) return refuseText("git's own files are not shown");
  return names;
}

function refuseText(why: string): Refusal {
  return refuse('bad_input', `the path cannot be used: ${why}`);
}
