import type { ShowFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { COUNT, SWITCH, TEXT } from './kinds.ts';

export const showCommand = defineCommand<ShowFlags, [string]>({
  load: async () => (await import('../commands/show.ts')).show,
  parameters: {
    flags: {
      json: JSON_FLAG,
      turn: { ...COUNT, brief: 'Of a session: only this turn, counted from 1' },
      node: {
        ...TEXT,
        brief: 'Of a run: only this node, by id or path, with its input and output',
        placeholder: 'node',
      },
      full: { ...SWITCH, brief: 'Do not shorten long texts' },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Show a session with its turns, or a graph run with its walk',
    text: 'Of a session: what was said and done, with offsets, where each turn ends (an offset `ramet fork --at` takes), what its checkpoint holds and left out, and where the workspace is. Of a graph run: every node with its state, how often it was entered, the offset at which it was last (`ramet fork --at` takes it), why one was skipped, and what the run waits for.',
    usage: '<id> [--turn <n> | --node <node>] [--full]',
    examples: [
      'ramet show 3f9a1c',
      'ramet show 3f9a1c --turn 2 --full',
      'ramet show 8c02de --node publish',
      "ramet show 3f9a1c --json | jq '.turns[0].end.offset'",
    ],
  },
});
