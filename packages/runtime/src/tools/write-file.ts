import { renderCount } from '@ramet/core';
import * as z from 'zod';
import { answerText, makeTool } from './definition.ts';
import { readWholeFile, writeWholeFile } from './file-access.ts';
import type { Tool, ToolAnswer } from './types.ts';

/** `write_file`: a whole file, new or in place of an old one. */
export const writeFileTool: Tool = makeTool({
  name: 'write_file',
  description: 'Write a file, replacing what is there. Folders above it are made. An existing file keeps its mode.',
  input: z.object({ path: z.string(), content: z.string() }),
  effect: 'write',
  subject: ({ path }) => path,
  run: ({ path, content }, context) => {
    const bytes = Buffer.from(content);
    writeWholeFile(path, bytes, context);
    return answerWritten(path, bytes);
  },
  recover: ({ path, content }, context) => {
    const bytes = Buffer.from(content);
    return readWholeFile(path, context).equals(bytes) ? answerWritten(path, bytes) : null;
  },
});

function answerWritten(path: string, bytes: Buffer): ToolAnswer {
  return answerText(`Wrote ${renderCount(bytes.length, 'byte')} to ${path}.`);
}
