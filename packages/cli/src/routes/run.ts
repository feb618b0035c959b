import type { FlagParametersForType } from '@stricli/core';
import type { CliContext } from '../context.ts';
import type { RunFlags } from '../flags.ts';
import { defineCommand, JSON_FLAG } from './define.ts';
import { AMOUNT, COUNT, OFFSET, RULES, SWITCH, TEXT, TEXTS, TIME, TITLE, WORKSPACE, YES_FLAG } from './kinds.ts';

const flags: FlagParametersForType<RunFlags, CliContext> = {
  json: JSON_FLAG,
  events: { ...SWITCH, brief: 'Print each log event as a line of JSON, then the result' },
  session: { ...TEXT, brief: 'Go on with this session; without a prompt, with its unfinished turn', placeholder: 'id' },
  continue: { ...SWITCH, brief: "Go on with the last session of this folder's project" },
  fork: { ...TEXT, brief: 'Fork this session first and go on in the fork', placeholder: 'id' },
  at: { ...OFFSET, brief: 'Where to fork it: the end of a turn' },
  title: { ...TITLE, brief: 'Title of the new session', placeholder: 'text' },
  model: {
    ...TEXT,
    brief: 'anthropic/<name>, openai/<name>, google/<name>, openai-compatible/<name> or scripted:<file>',
    placeholder: 'model',
  },
  baseUrl: { ...TEXT, brief: 'Address of the model, for example http://localhost:11434/v1', placeholder: 'url' },
  attach: { ...TEXTS, brief: 'Give an image or a text file with the prompt; may be repeated', placeholder: 'file' },
  workspace: { ...WORKSPACE, brief: 'Where a new session works' },
  allowDirty: { ...SWITCH, brief: 'Bring uncommitted changes along into a new session' },
  noSandbox: { ...SWITCH, brief: "Run the agent's commands with your own rights" },
  allowNet: { ...TEXTS, brief: 'A host the commands may reach (repeatable)', placeholder: 'host' },
  allow: { ...RULES, brief: 'Allow calls of a tool in this turn (repeatable)' },
  ask: { ...RULES, brief: 'Ask about calls of a tool, in later turns too (repeatable)' },
  deny: { ...RULES, brief: 'Deny calls of a tool, in later turns too (repeatable)' },
  forgetRules: { ...SWITCH, brief: 'Drop the --ask and --deny rules of earlier turns' },
  onAsk: {
    kind: 'enum',
    values: ['deny', 'park', 'fail'],
    brief: 'What to do where nobody is there to answer',
    default: 'deny',
  },
  trustProject: { ...SWITCH, brief: "Confirm the project's ramet.json for this turn" },
  yes: YES_FLAG,
  maxRequests: { ...COUNT, brief: 'Most model requests in this turn' },
  maxTokens: { ...COUNT, brief: "Most tokens of the session's own usage" },
  maxCost: { ...AMOUNT, brief: "Most cost of the session's own usage, in the currency of the price list" },
  maxTime: { ...TIME, brief: 'Most time for this turn: seconds, or such as 10m or 1h' },
};

export const runCommand = defineCommand<RunFlags, readonly string[]>({
  load: async () => (await import('../commands/run.ts')).run,
  parameters: {
    flags,
    positional: {
      kind: 'array',
      parameter: {
        parse: String,
        placeholder: 'prompt',
        brief: "What to do; '-' reads it from standard input, and after '--' it may begin with a dash",
      },
    },
  },
  docs: {
    brief: 'Run one turn: a new session, an old one or a fork',
    text: 'The agent works in a private checkout of the repository you stand in; your own files stay as they are. Its answer goes to stdout, progress to stderr. The turn ends with a checkpoint of the files, and with how to see, take and fork what was done. Ctrl-C stops the turn and leaves a session you can go on with; a second one kills. Exit codes: 0 done, 1 usage, 2 failed, 3 refused, 4 limit reached, 5 in use elsewhere, 7 waiting for a person, 130 interrupted.',
    usage: '[--session <id> | --continue | --fork <id> --at <offset>] [flags] <prompt>',
    examples: [
      'ramet run --model anthropic/<name> "make the tests pass"',
      'ramet run --session 3f9a1c "now refactor"',
      'ramet run --fork 3f9a1c --at 41 "try the other way"',
      'git diff | ramet run --continue -',
    ],
  },
});
