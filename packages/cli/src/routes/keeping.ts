/** The commands that look after a store: verify, usage, remove, prune, log, title. */
import type { GcFlags, LogFlags, PruneFlags, RemoveFlags, TitleFlags, UsageFlags, VerifyFlags } from '../flags.ts';
import { defineCommand, ID_ARGUMENT, JSON_FLAG } from './define.ts';
import { AMOUNT, OFFSET, SWITCH, TEXT, YES_FLAG } from './kinds.ts';
import { parseSize, parseTitle } from './parse.ts';

export const verifyCommand = defineCommand<VerifyFlags, readonly string[]>({
  load: async () => (await import('../commands/verify.ts')).verify,
  parameters: {
    flags: {
      json: JSON_FLAG,
      all: { ...SWITCH, brief: 'Every session and run of the store' },
    },
    positional: { kind: 'array', parameter: ID_ARGUMENT },
  },
  docs: {
    brief: 'Check that a session or run is what it claims to be',
    text: 'Reads every byte: the hash chain of the log, every payload, the descent it claims (against the parent, where that still exists) and every object of its checkpoints. Exit code 6 when something does not hold; then every other one that holds the same damaged file is named.',
    usage: '<id>... | --all',
    examples: ['ramet verify 3f9a1c', 'ramet verify --all --json'],
  },
});

export const usageCommand = defineCommand<UsageFlags, readonly string[]>({
  load: async () => (await import('../commands/usage.ts')).usage,
  parameters: { flags: { json: JSON_FLAG }, positional: { kind: 'array', parameter: ID_ARGUMENT } },
  docs: {
    brief: 'Show tokens and cost of sessions and runs',
    text: 'Without an id: of the whole store, every reply counted once, however many forks hold it. A fork starts at zero; what it inherited is shown apart. What is not known is never counted as zero, and said.',
    usage: '[<id>...]',
    examples: ['ramet usage', 'ramet usage 3f9a1c --json'],
  },
});

const DRY_RUN_FLAG = { ...SWITCH, brief: 'Show what would happen and do nothing' } as const;

const REFS_FLAG = { ...SWITCH, brief: 'Also refs/ramet/<id> in your repository' } as const;

export const removeCommand = defineCommand<RemoveFlags, readonly string[]>({
  load: async () => (await import('../commands/remove.ts')).remove,
  parameters: {
    flags: { json: JSON_FLAG, refs: REFS_FLAG, yes: YES_FLAG, dryRun: DRY_RUN_FLAG },
    positional: { kind: 'array', parameter: ID_ARGUMENT, minimum: 1 },
  },
  docs: {
    brief: 'Remove sessions and runs: log, workspace and all',
    text: 'Counts everything first and asks; names work that is nowhere else. Forks of what is removed keep all they hold. What is running is refused, and one id that is wrong removes nothing. What `ramet apply` brought into your repository stays, unless --refs removes its ref too. Checkpoints that no session needs any more are freed by `ramet gc`.',
    usage: '<id>... [--refs] [--yes] [--dry-run]',
    examples: ['ramet remove 3f9a1c', 'ramet remove 3f9a1c 77b2e0 --yes'],
  },
});

export const pruneCommand = defineCommand<PruneFlags, []>({
  load: async () => (await import('../commands/prune.ts')).prune,
  parameters: {
    flags: {
      json: JSON_FLAG,
      olderThan: { ...AMOUNT, brief: 'Those not active for so many days', placeholder: 'days' },
      to: {
        kind: 'parsed',
        parse: parseSize,
        brief: 'The oldest, until all together take no more than this, such as 5GiB',
        placeholder: 'size',
        optional: true,
      },
      dryRun: DRY_RUN_FLAG,
      includeUnsaved: { ...SWITCH, brief: 'Also those that hold unsaved work' },
      refs: REFS_FLAG,
      yes: YES_FLAG,
    },
  },
  docs: {
    brief: 'Remove old sessions and runs',
    text: 'Removes the sessions and graph runs that were active longest ago. Running ones stay, and those with unsaved work: a workspace that differs from its last checkpoint, or a checkpoint that holds commits or files found neither in your repository nor in another session. Forks keep all they hold.',
    usage: '(--older-than <days> | --to <size>) [--include-unsaved] [--refs] [--dry-run] [--yes]',
    examples: ['ramet prune --older-than 30 --dry-run', 'ramet prune --to 5GiB --yes'],
  },
});

export const gcCommand = defineCommand<GcFlags, []>({
  load: async () => (await import('../commands/gc.ts')).gc,
  parameters: { flags: { json: JSON_FLAG, dryRun: DRY_RUN_FLAG } },
  docs: {
    brief: 'Free what no session needs any more',
    text: 'Frees the checkpoints that only removed sessions needed, and packs what stays. Refuses a project while a session of it is taking or restoring a checkpoint, or while one of its logs cannot be read, naming it.',
    usage: '[--dry-run]',
    examples: ['ramet gc --dry-run', 'ramet gc'],
  },
});

export const logCommand = defineCommand<LogFlags, [string]>({
  load: async () => (await import('../commands/log.ts')).log,
  parameters: {
    flags: {
      json: JSON_FLAG,
      raw: { ...SWITCH, brief: 'The lines themselves, byte for byte' },
      from: { ...OFFSET, brief: 'From this offset on' },
      to: { ...OFFSET, brief: 'Up to this offset' },
      type: { ...TEXT, brief: 'Only events of this type', placeholder: 'type' },
    },
    positional: { kind: 'tuple', parameters: [ID_ARGUMENT] },
  },
  docs: {
    brief: 'Print the events of a session or run',
    text: 'One line for each event: offset, time, type and what matters of it. With --raw the lines of the log themselves; on a terminal, characters that could change what it shows are written as JSON escapes.',
    usage: '<id> [--from <offset>] [--to <offset>] [--type <type> | --raw]',
    examples: ['ramet log 3f9a1c --type tool.intent', 'ramet log 3f9a1c --raw | jq .type'],
  },
});

export const titleCommand = defineCommand<TitleFlags, [string, string]>({
  load: async () => (await import('../commands/title.ts')).title,
  parameters: {
    flags: { json: JSON_FLAG },
    positional: {
      kind: 'tuple',
      parameters: [ID_ARGUMENT, { parse: parseTitle, placeholder: 'title', brief: 'The new title' }],
    },
  },
  docs: {
    brief: 'Give a session or run a title',
    text: 'The title is what was last given; forks inherit it until they get one of their own.',
    usage: '<id> <title>',
    examples: ['ramet title 3f9a1c "parser, second try"'],
  },
});
