export { builtinTools } from './builtin.ts';
export { type PathRequest, type ResolvedPath, resolvePath } from './path.ts';
export type { Contained, Effect, Tool, ToolAnswer, ToolContext } from './types.ts';
