import { isRefusal } from '@ramet/core/codes';
import { hashGraph } from '@ramet/core/graph';
import { escapeLine, renderCount } from '@ramet/core/text';
import { sha256 } from '@ramet/runtime/store';
import type { ValidateFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { readGraphFile, refuseProblems } from './graph-file.ts';

/** Says all that is wrong with a document. */
export const graphValidate: Action<ValidateFlags, [string]> = async (context, _flags, [file]) => {
  const read = await readGraphFile(context, file);
  if (isRefusal(read)) return read;
  if (read.kind === 'document') {
    const hash = hashGraph(read.document, sha256);
    return { json: { ok: true, graph: hash, problems: [] }, text: `ok: graph ${hash.slice(0, 12)}\n` };
  }
  const { code, message, data } = refuseProblems(file, read.problems);
  const lines = read.problems.map(({ at, message: what }) => `${escapeLine(`${at || '/'}: ${what}`)}\n`);
  const notes = `${escapeLine(file)}: ${renderCount(read.problems.length, 'problem')}\n`;
  return { json: { code, message, ok: false, ...data }, text: lines.join(''), notes, exit: 1 };
};
