/** The commands that bring work back: diff and apply. */
import type { ApplyFlags, DiffFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { SWITCH, TEXT } from './kinds.ts';

export const diffCommand = defineCommand<DiffFlags, [string, string?]>({
  load: async () => (await import('../commands/diff.ts')).diff,
  parameters: {
    flags: {
      json: JSON_FLAG,
      stat: { ...SWITCH, brief: 'Only which files, and how many lines' },
      raw: { ...SWITCH, brief: 'The patch byte for byte, for `git apply`' },
      ignored: { ...SWITCH, brief: 'Also files that ignore rules hide' },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        ID_ARGUMENT,
        { ...ID_ARGUMENT, placeholder: 'other', brief: 'Compare with this one', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Show what a session or run changed',
    text: 'Compares the last checkpoint of a session or graph run with the commit it began at, or the last checkpoints of two. Reads the store alone: neither the workspace nor your checkout. Characters that could change what a terminal shows are written as escapes; --raw writes the bytes themselves.',
    usage: '<id> [<other>] [--stat] [--raw] [--ignored]',
    examples: ['ramet diff 3f9a1c', 'ramet diff 3f9a1c 77b2e0 --stat', 'ramet diff 3f9a1c --raw | git apply'],
  },
});

export const applyCommand = defineCommand<ApplyFlags, [string]>({
  load: async () => (await import('../commands/apply.ts')).apply,
  parameters: {
    flags: {
      json: JSON_FLAG,
      branch: { ...TEXT, brief: 'Also make this branch; it must not exist', placeholder: 'name' },
      toCheckout: { ...SWITCH, brief: 'Also merge the changes into your files, if nothing overlaps' },
      checkout: { ...TEXT, brief: 'In this checkout, not where you stand', placeholder: 'path' },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Bring the work of a session or run into your repository',
    text: "Brings the agent's commits as refs/ramet/<id>, with one commit on top for files it left uncommitted (ignored files never come). Your checked-out branch, index and files stay as they are, unless --to-checkout merges the changes into the files; that refuses when anything overlaps. All of it happens in the checkout you stand in (a linked worktree, too), or the one --checkout names; elsewhere the ref is made where the session began, and no file is touched. A running session is refused.",
    usage: '<id> [--branch <name>] [--to-checkout] [--checkout <path>]',
    examples: ['ramet apply 3f9a1c', 'ramet apply 3f9a1c --branch fix-parser', 'ramet apply 3f9a1c --to-checkout'],
  },
});
