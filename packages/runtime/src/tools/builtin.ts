import { editFileTool } from './edit-file.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { searchTool } from './search.ts';
import { shellTool } from './shell.ts';
import type { Tool } from './types.ts';
import { writeFileTool } from './write-file.ts';

/** The tools every session has, in the order a model sees them. */
export function builtinTools(): readonly Tool[] {
  return [readFileTool, writeFileTool, editFileTool, listFilesTool, searchTool, shellTool];
}
