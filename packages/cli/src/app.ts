/** The commands and how they are reached. Nothing heavy is imported here. */
import { buildApplication, text_en } from '@stricli/core';
import type { CliContext } from './context.ts';
import { describeMisuse, isSlip, suggest } from './misuse.ts';
import { defineGroup } from './routes/define.ts';
import { forkCommand } from './routes/fork.ts';
import { graphGroup } from './routes/graph.ts';
import {
  gcCommand,
  logCommand,
  pruneCommand,
  removeCommand,
  titleCommand,
  usageCommand,
  verifyCommand,
} from './routes/keeping.ts';
import { doctorCommand, resolveCommand, trustCommand, versionCommand } from './routes/machine.ts';
import { runCommand } from './routes/run.ts';
import { abandonCommand, answerCommand, resumeCommand, runsCommand } from './routes/runs.ts';
import { sessionsCommand } from './routes/sessions.ts';
import { showCommand } from './routes/show.ts';
import { applyCommand, diffCommand } from './routes/taking.ts';

const verbs = {
  show: showCommand,
  log: logCommand,
  title: titleCommand,
  fork: forkCommand,
  diff: diffCommand,
  apply: applyCommand,
  verify: verifyCommand,
  remove: removeCommand,
};

const sessionsGroup = defineGroup<'list' | keyof typeof verbs>({
  routes: { list: sessionsCommand, ...verbs },
  aliases: { ls: 'list', rm: 'remove' },
  defaultCommand: 'list',
  docs: {
    brief: 'List sessions; also `ramet sessions fork` and so on',
    text: 'Without a command, lists sessions: `ramet sessions list --help` has its flags. The commands are the same as `ramet show`, `ramet fork` and so on.',
    examples: ['ramet sessions --tree', 'ramet sessions --json', 'ramet sessions fork 3f9a1c --at 41'],
  },
});

const runVerbs = {
  ...verbs,
  resume: resumeCommand,
  answer: answerCommand,
  resolve: resolveCommand,
  abandon: abandonCommand,
};

const runsGroup = defineGroup<'list' | keyof typeof runVerbs>({
  routes: { list: runsCommand, ...runVerbs },
  aliases: { ls: 'list', rm: 'remove' },
  defaultCommand: 'list',
  docs: {
    brief: 'List graph runs; also `ramet runs fork` and so on',
    text: 'Without a command, lists graph runs: `ramet runs list --help` has its flags. The commands are the same as `ramet show`, `ramet fork` and so on.',
    examples: ['ramet runs --tree', 'ramet runs --json', 'ramet runs fork 8c02de --from-node publish --dry-run'],
  },
});

const commands = defineGroup({
  routes: {
    run: runCommand,
    fork: forkCommand,
    sessions: sessionsGroup,
    graph: graphGroup,
    runs: runsGroup,
    resume: resumeCommand,
    answer: answerCommand,
    show: showCommand,
    diff: diffCommand,
    apply: applyCommand,
    log: logCommand,
    title: titleCommand,
    verify: verifyCommand,
    usage: usageCommand,
    resolve: resolveCommand,
    abandon: abandonCommand,
    remove: removeCommand,
    prune: pruneCommand,
    gc: gcCommand,
    trust: trustCommand,
    doctor: doctorCommand,
    version: versionCommand,
  },
  aliases: { ls: 'sessions', list: 'sessions', rm: 'remove' },
  flags: [
    ['--json', 'With every command: one JSON document on stdout'],
    ['--version', 'Print the version'],
  ],
  docs: {
    brief: 'Sessions of AI agents and graph runs that can be forked at any finished step',
    text: 'Go back to any finished turn of an agent, get the conversation and the files as they were, and try another way; or to any node of a graph run. Every command has --help with examples; `ramet help <command>` is the same.',
    examples: [
      'ramet run --model <model> "make the tests pass"',
      'ramet sessions --tree',
      'ramet fork <id> --at <offset>',
    ],
  },
});

/** The application. */
export const app = buildApplication<CliContext>(commands, {
  name: 'ramet',
  scanner: {
    caseStyle: 'allow-kebab-for-camel',
    allowArgumentEscapeSequence: true,
    // A word that is further off is another word.
    distanceOptions: { threshold: 2, weights: { insertion: 1, deletion: 1, substitution: 1, transposition: 1 } },
  },
  documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
  localization: {
    text: {
      ...text_en,
      noCommandRegisteredForInput: ({ input, corrections }) =>
        `there is no command '${input}'${suggest(corrections.filter((near) => isSlip(input, near.replaceAll('`', ''))))}`,
      exceptionWhileParsingArguments: (error) => describeMisuse(error),
    },
  },
});
