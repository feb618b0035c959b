/** The commands about graph runs that are under way: list, resume, answer, abandon. */
import type { AbandonFlags, AnswerFlags, ResumeFlags, RunsFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { DRIVE_FLAGS } from './driving.ts';
import { COUNT, SWITCH, TEXT } from './kinds.ts';

export const runsCommand = defineCommand<RunsFlags, []>({
  load: async () => (await import('../commands/runs.ts')).runs,
  parameters: {
    flags: {
      json: JSON_FLAG,
      tree: { ...SWITCH, brief: 'Show forks below the run they came from' },
      limit: { ...COUNT, brief: 'Show at most this many' },
    },
  },
  docs: {
    brief: 'List graph runs, the one that was active last first',
    text: 'STATE is running (a process is at it), parked (only a person can go on with it), idle (`ramet resume` goes on: a fork that was not started, a gate that was answered), interrupted (nodes were left at work), completed, failed, abandoned or damaged. NODES are those that finished, of those that were entered. A name in brackets is that of the document. COST is its own, where it is known.',
    examples: ['ramet runs', 'ramet runs --tree', "ramet runs --json | jq -r '.runs[].id'"],
  },
});

export const resumeCommand = defineCommand<ResumeFlags, [string]>({
  load: async () => (await import('../commands/resume.ts')).resume,
  parameters: { flags: DRIVE_FLAGS, positional: { kind: 'tuple', parameters: [ID_ARGUMENT] } },
  docs: {
    brief: 'Go on with a graph run',
    text: 'After a crash, Ctrl-C, an answer, `ramet resolve`, a failure, or a fork that was not started. What finished is not done again; a failed node gets all its tries again. A completed or abandoned run is refused. Exit codes as of `ramet graph run`.',
    usage: '<id> [flags]',
    examples: ['ramet resume 3f9a1c', 'ramet resume 3f9a1c --yes --json'],
  },
});

export const answerCommand = defineCommand<AnswerFlags, [string, string]>({
  load: async () => (await import('../commands/answer.ts')).answer,
  parameters: {
    flags: {
      ...DRIVE_FLAGS,
      gate: {
        ...TEXT,
        brief: 'Which one, by its node or offset; without it the only open one, or the only one there is',
        placeholder: 'gate',
      },
      noStart: { ...SWITCH, brief: 'Only record the answer' },
    },
    positional: {
      kind: 'tuple',
      parameters: [ID_ARGUMENT, { parse: String, placeholder: 'json', brief: 'The answer: JSON, @<file>, or -' }],
    },
  },
  docs: {
    brief: 'Answer a gate of a graph run, and go on',
    text: 'Records the answer, which must be what the gate asks for, and goes on with the run; --no-start only records it. The same answer again changes nothing, and starts no run again that failed; another one is refused, with the one given: fork the run before the gate for that. Exit codes as of `ramet graph run`.',
    usage: '<id> [--gate <node>] [--no-start] <json>',
    examples: ['ramet answer 3f9a1c true', `ramet answer 3f9a1c --gate "pay[2]/approve" '{"ok":false}' --no-start`],
  },
});

export const abandonCommand = defineCommand<AbandonFlags, [string]>({
  load: async () => (await import('../commands/abandon.ts')).abandon,
  parameters: {
    flags: {
      json: JSON_FLAG,
      reason: { ...TEXT, brief: 'Why; it is recorded', placeholder: 'text' },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'End a graph run for good',
    text: 'The run is never gone on with. It stays to be looked at, and can be forked.',
    usage: '<id> [--reason <text>]',
    examples: ['ramet abandon 3f9a1c --reason "the budget was cut"'],
  },
});
