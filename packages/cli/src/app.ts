/** The commands and how they are reached. Nothing heavy is imported here. */
import { buildApplication, buildRouteMap, text_en } from '@stricli/core';
import type { CliContext } from './context.ts';
import { describeMisuse, suggest } from './misuse.ts';
import { forkCommand } from './routes/fork.ts';
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

const sessionsRoutes = buildRouteMap<'list' | keyof typeof verbs, CliContext>({
  routes: { list: sessionsCommand, ...verbs },
  defaultCommand: 'list',
  docs: {
    brief: 'List sessions; also `ramet sessions fork` and so on',
    fullDescription:
      'Without a command, lists sessions: `ramet sessions list --help` has its flags. The commands are the same as\n`ramet show`, `ramet fork` and so on.\n\nExamples:\n  $ ramet sessions --tree\n  $ ramet sessions --json\n  $ ramet sessions fork 3f9a1c --at 41',
  },
});

const routes = buildRouteMap({
  routes: {
    run: runCommand,
    fork: forkCommand,
    sessions: sessionsRoutes,
    show: showCommand,
    diff: diffCommand,
    apply: applyCommand,
    log: logCommand,
    title: titleCommand,
    verify: verifyCommand,
    usage: usageCommand,
    resolve: resolveCommand,
    remove: removeCommand,
    prune: pruneCommand,
    gc: gcCommand,
    trust: trustCommand,
    doctor: doctorCommand,
    version: versionCommand,
  },
  docs: {
    brief: 'Sessions of AI agents that can be forked at any finished turn',
    fullDescription:
      'Go back to any finished turn of an agent, get the conversation and the files as they were, and try another way.\n\n  $ ramet run --model <model> "make the tests pass"\n  $ ramet sessions --tree\n  $ ramet fork <id> --at <offset>\n\nEvery command takes --json, and --help with examples.',
  },
});

/** The application. */
export const app = buildApplication<CliContext>(routes, {
  name: 'ramet',
  scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
  documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
  localization: {
    text: {
      ...text_en,
      noCommandRegisteredForInput: ({ input, corrections }) => `there is no command '${input}'${suggest(corrections)}`,
      exceptionWhileParsingArguments: (error) => describeMisuse(error),
    },
  },
});
