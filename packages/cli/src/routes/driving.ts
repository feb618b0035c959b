/** The flags of every command that goes on with a graph run. */
import type { FlagParametersForType } from '@stricli/core';
import type { CliContext } from '../context.ts';
import type { DriveFlags } from '../flags.ts';
import { JSON_FLAG } from './define.ts';
import { AMOUNT, COUNT, RULES, SWITCH, TEXT, TEXTS, TIME, YES_FLAG } from './kinds.ts';

export const DRIVE_FLAGS: FlagParametersForType<DriveFlags, CliContext> = {
  json: JSON_FLAG,
  events: { ...SWITCH, brief: 'Print each log event as a line of JSON, then the result' },
  model: { ...TEXT, brief: 'For nodes that name no model', placeholder: 'model' },
  baseUrl: { ...TEXT, brief: 'Address of that model', placeholder: 'url' },
  noSandbox: { ...SWITCH, brief: 'Run commands of agents and nodes with your own rights' },
  allowNet: { ...TEXTS, brief: 'A host the commands may reach (repeatable)', placeholder: 'host' },
  allow: { ...RULES, brief: 'Allow calls of a tool (repeatable)' },
  ask: { ...RULES, brief: 'Ask about calls of a tool (repeatable)' },
  deny: { ...RULES, brief: 'Deny calls of a tool (repeatable)' },
  onAsk: {
    kind: 'enum',
    values: ['deny', 'park', 'fail'],
    brief: 'What to do where nobody is there to answer (without it: deny to agents, park nodes)',
    optional: true,
  },
  trustProject: { ...SWITCH, brief: "Confirm the project's ramet.json for this command" },
  yes: YES_FLAG,
  maxSteps: { ...COUNT, brief: 'Most nodes the run may enter itself' },
  maxTokens: { ...COUNT, brief: "Most tokens of the run's own usage" },
  maxCost: { ...AMOUNT, brief: "Most cost of the run's own usage" },
  maxTime: { ...TIME, brief: 'Most time its nodes may work: seconds, or such as 10m or 1h' },
};
