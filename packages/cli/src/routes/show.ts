import type { ShowFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { parseCount } from './parse.ts';

export const showCommand = defineCommand<ShowFlags, [string]>({
  load: async () => (await import('../commands/show.ts')).show,
  parameters: {
    flags: {
      json: JSON_FLAG,
      turn: {
        kind: 'parsed',
        parse: parseCount,
        brief: 'Only this turn, counted from 1',
        placeholder: 'n',
        optional: true,
      },
      full: { kind: 'boolean', brief: 'Do not shorten long texts', optional: true, withNegated: false },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Show a session: its turns, transcript and checkpoints',
    text: 'Shows what was said and done, with offsets, where each turn ends (an offset `ramet fork --at` takes), what its checkpoint holds and left out, and where the workspace is.',
    usage: '<id> [--turn <n>] [--full]',
    examples: [
      'ramet show 3f9a1c',
      'ramet show 3f9a1c --turn 2 --full',
      "ramet show 3f9a1c --json | jq '.turns[0].end.offset'",
    ],
  },
});
