import type { ForkFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { parseOffset, parseText } from './parse.ts';

export const forkCommand = defineCommand<ForkFlags, [string]>({
  load: async () => (await import('../commands/fork.ts')).fork,
  parameters: {
    flags: {
      json: JSON_FLAG,
      at: {
        kind: 'parsed',
        parse: parseOffset,
        brief: "Fork at the turn that ends at this offset; the latest one's without it",
        placeholder: 'offset',
        optional: true,
      },
      title: {
        kind: 'parsed',
        parse: parseText,
        brief: 'Title of the new session',
        placeholder: 'text',
        optional: true,
      },
      idempotencyKey: {
        kind: 'parsed',
        parse: parseText,
        brief: 'The same key makes the same child, however often it is asked for',
        placeholder: 'key',
        optional: true,
      },
      dryRun: {
        kind: 'boolean',
        brief: 'Show what the fork would be and make nothing',
        optional: true,
        withNegated: false,
      },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Make a new session that goes on from a finished turn of another',
    text: 'Makes a new, idle session that holds the conversation up to the end of a turn, and prints its id. No model is called. The files of that turn come back when the new session first runs. The source is not changed, and may be removed later. Writes made after that turn which left the workspace are listed: a fork does not undo them. `ramet show <id>` shows where each turn ends.',
    usage: '<id> [--at <offset>] [--title <text>] [--idempotency-key <key>] [--dry-run]',
    examples: [
      'ramet fork 3f9a1c',
      'ramet fork 3f9a1c --at 41 --dry-run',
      'ramet run --session $(ramet fork 3f9a1c --at 41) "try the other way"',
    ],
  },
});
