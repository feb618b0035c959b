export { GATE_DESCRIPTOR, makeGatedCommand } from './gate.ts';
export { guardGroup } from './guard.ts';
export { runProcess } from './run.ts';
export type { ProcessEnd } from './spawn.ts';
export { type RunningProcess, type StartSpec, startProcess } from './start.ts';
export type { ProcessOutcome, ProcessSink, ProcessSpec } from './types.ts';
