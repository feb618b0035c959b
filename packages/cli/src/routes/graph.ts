/** The commands about graph documents: run, validate, schema. */
import type { GraphRunFlags, SchemaFlags, ValidateFlags } from '../flags.ts';
import { defineCommand, defineGroup, JSON_FLAG } from './define.ts';
import { DRIVE_FLAGS } from './driving.ts';
import { SWITCH, TEXT, TITLE, WORKSPACE } from './kinds.ts';
import { parseLabel, parseText } from './parse.ts';

const FILE_ARGUMENT = { parse: parseText, placeholder: 'file', brief: 'A graph document' } as const;

const graphRunCommand = defineCommand<GraphRunFlags, [string, string?]>({
  load: async () => (await import('../commands/graph-run.ts')).graphRun,
  parameters: {
    flags: {
      ...DRIVE_FLAGS,
      input: { ...TEXT, brief: 'The input of the run: JSON, @<file>, or - for standard input', placeholder: 'json' },
      workspace: { ...WORKSPACE, brief: 'Where nodes with files work; without it git in a repository' },
      allowDirty: { ...SWITCH, brief: 'Bring uncommitted changes along' },
      title: { ...TITLE, brief: 'Title of the run', placeholder: 'text' },
      label: {
        kind: 'parsed',
        parse: parseLabel,
        variadic: true,
        optional: true,
        brief: 'Something to know the run by (repeatable)',
        placeholder: 'key=value',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        FILE_ARGUMENT,
        { parse: parseText, placeholder: '-', brief: 'Reads the input from standard input', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Start a run of a graph document',
    text: 'Walks the document until the run completes, fails, or waits for a person; what waits is told with the command that goes on. The output goes to stdout, progress to stderr. Ctrl-C stops it, `ramet resume` goes on. Exit codes: 0 completed, 1 usage, 2 failed, 3 refused, 4 limit reached, 5 in use elsewhere, 7 parked, 130 interrupted.',
    usage: '<file> [--input <json> | -] [flags]',
    examples: [
      `ramet graph run publish.json --input '{"topic":"otters"}'`,
      'ramet graph run publish.json --input @input.json --json | jq -r .run',
      'ramet graph run review.json --model anthropic/<name> --max-cost 2',
    ],
  },
});

const validateCommand = defineCommand<ValidateFlags, [string]>({
  load: async () => (await import('../commands/graph-validate.ts')).graphValidate,
  parameters: { flags: { json: JSON_FLAG }, positional: { kind: 'tuple', parameters: [FILE_ARGUMENT] } },
  docs: {
    brief: 'Say all that is wrong with a graph document',
    text: 'Checks structure, edges, expressions, JSON Schemas and tool names; nothing is run. Each problem is told with its place, a JSON Pointer. Exit code 1 when there is one.',
    usage: '<file>',
    examples: ['ramet graph validate publish.json', "ramet graph validate publish.json --json | jq '.problems[].at'"],
  },
});

const schemaCommand = defineCommand<SchemaFlags, []>({
  load: async () => (await import('../commands/graph-schema.ts')).graphSchema,
  parameters: { flags: { json: JSON_FLAG } },
  docs: {
    brief: 'Print the JSON Schema of graph documents',
    text: 'For editors that check JSON by a schema. `ramet graph validate` finds more than a schema can say.',
    examples: ['ramet graph schema > ramet-graph.schema.json'],
  },
});

export const graphGroup = defineGroup({
  routes: { run: graphRunCommand, validate: validateCommand, schema: schemaCommand },
  docs: {
    brief: 'Run a workflow document: nodes, branches, maps, folds, gates',
    text: 'A graph document is JSON that says which programs, agents and people do what after what. A run of one can be stopped, gone on with, and forked at any node; `ramet runs` lists runs, and `ramet show`, `ramet fork` and the other commands take their ids.',
    examples: [
      'ramet graph validate publish.json',
      'ramet graph run publish.json --input @input.json',
      'ramet runs --tree',
    ],
  },
});
