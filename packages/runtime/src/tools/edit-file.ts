import * as z from 'zod';
import { answerText, makeTool } from './definition.ts';
import { readWholeFile, ToolProblem, writeWholeFile } from './file-access.ts';
import type { Tool, ToolAnswer, ToolContext } from './types.ts';

interface EditInput {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

/** `edit_file`: one exact replacement, by bytes, so that what is not UTF-8 elsewhere in the file stays as it is. */
export const editFileTool: Tool = makeTool({
  name: 'edit_file',
  description:
    'Replace `old` by `new` in a file. `old` must be there exactly once, white space included; add lines around it to make it so.',
  input: z.object({ path: z.string(), old: z.string().min(1), new: z.string() }),
  effect: 'write',
  subject: ({ path }) => path,
  run: editFile,
  recover: recoverEdit,
});

function editFile(input: EditInput, context: ToolContext): ToolAnswer {
  const content = readWholeFile(input.path, context);
  const old = Buffer.from(input.old);
  const count = countOccurrences(content, old);
  if (input.old === input.new) throw new ToolProblem('`old` and `new` are the same: nothing to change.');
  if (count !== 1) throw new ToolProblem(explainCount(input, content, count));
  const at = content.indexOf(old);
  const edited = Buffer.concat([content.subarray(0, at), Buffer.from(input.new), content.subarray(at + old.length)]);
  writeWholeFile(input.path, edited, context);
  return answerEdited(input);
}

/**
 * Applied: every `old` still there is part of the one `new`. An edit whose `new` holds its `old` and stood in the file
 * before cannot be told apart from one that was applied.
 */
function recoverEdit(input: EditInput, context: ToolContext): ToolAnswer | null {
  const content = readWholeFile(input.path, context);
  const [old, replacement] = [Buffer.from(input.old), Buffer.from(input.new)];
  const count = countOccurrences(content, old);
  if (input.new === '') return count === 0 ? answerEdited(input) : null;
  const applied = countOccurrences(content, replacement) === 1 && count === countOccurrences(replacement, old);
  return applied ? answerEdited(input) : null;
}

function answerEdited({ path }: EditInput): ToolAnswer {
  return answerText(`Edited ${path}.`);
}

/** Overlapping ones too: `aa` is twice in `aaa`, hence not unique. */
function countOccurrences(content: Buffer, part: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(part); at !== -1; at = content.indexOf(part, at + 1)) count += 1;
  return count;
}

function explainCount(input: EditInput, content: Buffer, count: number): string {
  const where = JSON.stringify(input.path);
  if (count > 1) return `\`old\` is ${count} times in ${where}; it must be there exactly once: add lines around it.`;
  const windows = Buffer.from(input.old.replaceAll(/\r?\n/g, '\r\n'));
  const hint =
    input.old.includes('\n') && content.includes(windows)
      ? ' The file has CRLF line ends: write \\r\\n in `old` and `new`.'
      : ' Read the file again and copy the text exactly.';
  return `\`old\` is not in ${where} (0 times).${hint}`;
}
