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
import { serveCommand } from './routes/serve.ts';
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

const runVerbs = {
  ...verbs,
  resume: resumeCommand,
  answer: answerCommand,
  resolve: resolveCommand,
  abandon: abandonCommand,
};

/** What is said of a group whose name is that of what it lists. */
function describeListing(name: 'sessions' | 'runs', what: string): { readonly brief: string; readonly text: string } {
  return {
    brief: `List ${what}; also \`ramet ${name} fork\` and so on`,
    text: `Without a command, lists ${what}: \`ramet ${name} list --help\` has its flags. The commands are the same as \`ramet show\`, \`ramet fork\` and so on.`,
  };
}

const LISTING = { aliases: { ls: 'list', rm: 'remove' }, defaultCommand: 'list' } as const;

const sessionsGroup = defineGroup<'list' | keyof typeof verbs>({
  ...LISTING,
  routes: { list: sessionsCommand, ...verbs },
  docs: {
    ...describeListing('sessions', 'sessions'),
    examples: ['ramet sessions --tree', 'ramet sessions --json', 'ramet sessions fork 3f9a1c --at 41'],
  },
});

const runsGroup = defineGroup<'list' | keyof typeof runVerbs>({
  ...LISTING,
  routes: { list: runsCommand, ...runVerbs },
  docs: {
    ...describeListing('runs', 'graph runs'),
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
    serve: serveCommand,
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
