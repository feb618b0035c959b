export { type CallVisitor, carryCalls, carryNodes, type FullCarry, visitCalls } from './carry.ts';
export type { OutlinedLine } from './draft.ts';
export type * from './marks.ts';
export { callKeyOf } from './marks.ts';
export { mayName } from './name-filter.ts';
export type * from './outline.ts';
export { createOutliner, type Outliner, resumeOutliner } from './outliner.ts';
