import type { ForkFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT } from './define.ts';
import { DRIVE_FLAGS } from './driving.ts';
import { COUNT, OFFSET, SWITCH, TEXT, TITLE } from './kinds.ts';
import { parseNodeOutput, parseWrites } from './parse.ts';

export const forkCommand = defineCommand<ForkFlags, [string]>({
  load: async () => (await import('../commands/fork.ts')).fork,
  parameters: {
    flags: {
      at: {
        ...OFFSET,
        brief: "Where: the end of a session's turn (the latest without it), or where a run entered a node",
      },
      title: { ...TITLE, brief: 'Title of the child', placeholder: 'text' },
      idempotencyKey: {
        ...TEXT,
        brief: 'The same key makes the same child, however often it is asked for',
        placeholder: 'key',
      },
      dryRun: { ...SWITCH, brief: 'Show what the fork would be and make nothing' },
      fromNode: { ...TEXT, brief: 'Of a run: the node to walk again from, by id or path', placeholder: 'node' },
      visit: { ...COUNT, brief: 'Which place of that node, counted from 1', placeholder: 'k' },
      item: { ...OFFSET, brief: 'The one in this item of the map around it, counted from 0', placeholder: 'i' },
      acknowledgeWrites: {
        kind: 'parsed',
        parse: parseWrites,
        brief: 'Writes that may be made again, by offset; all names each that --dry-run shows',
        placeholder: 'offsets|all',
        optional: true,
      },
      input: { ...TEXT, brief: 'Another input for that node: JSON, @<file>, or -', placeholder: 'json' },
      output: {
        kind: 'parsed',
        parse: parseNodeOutput,
        variadic: true,
        optional: true,
        brief: 'Another output for a node before it (repeatable)',
        placeholder: 'node=json',
      },
      graph: { ...TEXT, brief: 'Walk this document from there on', placeholder: 'file' },
      noStart: { ...SWITCH, brief: 'Make the child of a run and do not go on with it' },
      asSession: { ...SWITCH, brief: 'Of a run: make a session of the conversation an agent had' },
      node: { ...TEXT, brief: 'With --as-session: whose conversation, by id or path', placeholder: 'node' },
      ...DRIVE_FLAGS,
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Go on from an earlier point, in a child of its own',
    text: 'Of a session: makes a new, idle session that holds the conversation up to the end of a turn, and prints its id. No model is called. The files of that turn come back when the new session first runs. Writes made after that turn which left the workspace are listed: a fork does not undo them. Of a graph run: makes a run that holds all up to where a node was entered, and walks on from that node; its id goes to stdout, its output is in `ramet show` and in the answer of --json. Writes that this would make again are refused (exit code 3) until each is acknowledged; --dry-run shows them and exits 0. With --as-session: makes a new, idle session of the conversation that an agent of the run had, to go on with by hand; nothing is walked again. The source is not changed, and may be removed later. `ramet show <id>` shows where each turn ends and where each node was entered.',
    usage: '<id> [--at <offset> | --from-node <node> | --as-session --node <node>] [--dry-run] [flags]',
    examples: [
      'ramet fork 3f9a1c',
      'ramet fork 3f9a1c --at 41 --dry-run',
      'ramet run --session $(ramet fork 3f9a1c --at 41) "try the other way"',
      'ramet fork 8c02de --from-node publish --dry-run',
      'ramet fork 8c02de --from-node publish --acknowledge-writes 17',
      'ramet fork 8c02de --node plan --as-session',
    ],
  },
});
