/** Runs one command line in a context. */
import { ExitCode, run } from '@stricli/core';
import { app } from './app.ts';
import type { CliContext } from './context.ts';
import { printProblem } from './output/answer.ts';

/** Runs a command line; the context is told the exit code. What the parser complains about is one refusal of ours. */
export async function runProgram(argv: readonly string[], context: Omit<CliContext, 'process'>): Promise<void> {
  let complaint = '';
  const parser = {
    stdout: { write: (text: string) => context.stdout.write(text) },
    stderr: {
      write: (text: string) => {
        complaint += text;
      },
    },
    env: { STRICLI_NO_COLOR: '1' },
    exitCode: null as number | string | null,
  };
  const whole: CliContext = { ...context, process: parser };
  await run(app, spellOut(argv), whole);
  // Commands answer by themselves and end the parser's run with 0.
  if (parser.exitCode === null || parser.exitCode === ExitCode.Success) return;
  const isUsage = parser.exitCode === ExitCode.InvalidArgument || parser.exitCode === ExitCode.UnknownCommand;
  const code = isUsage ? 'bad_usage' : 'internal_error';
  printProblem(whole, wantsJson(argv), { code, message: renderComplaint(complaint, argv), data: {} });
}

/** `ramet help fork` is `ramet fork --help`. */
function spellOut(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' ? [...argv.slice(1).filter((word) => !word.startsWith('-')), '--help'] : argv;
}

/** The flags could not be parsed, so this looks for itself. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.includes('--json') || flags.includes('--events');
}

function renderComplaint(complaint: string, argv: readonly string[]): string {
  const [line = ''] = complaint.trim().split('\n');
  const command = argv.find((word) => /^[a-z]+$/.test(word));
  const known = command === undefined || line.startsWith('there is no command') ? '' : ` ${command}`;
  return `${line}${line.endsWith('?') ? ' See' : '; see'} \`ramet${known} --help\``;
}
