export { AGENT_IDENTITY } from './generated-files.ts';
export { type HostRule, parseHostRule } from './host-rules.ts';
export { openSandbox } from './open.ts';
export { probeSandbox, type SandboxProbe } from './probe.ts';
export type { CommandOutcome, OutputSink, Sandbox, SandboxCommand, SandboxKind, SandboxView } from './types.ts';
