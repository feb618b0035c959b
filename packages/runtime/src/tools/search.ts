/**
 * `search`: ripgrep, or grep where there is none, run in the sandbox: a pattern that backtracks for ever or a file that
 * never ends harms only the call, and what is out of the workspace is out of its sight.
 */
import { relative } from 'node:path';
import * as z from 'zod';
import { answerError, answerText, makeTool } from './definition.ts';
import { kindOf, locate, ToolProblem } from './file-access.ts';
import { countCutTail, decodeText } from './text.ts';
import type { Tool, ToolAnswer, ToolContext } from './types.ts';

const TIMEOUT_MS = 60_000;
const MAX_COLUMNS = 500;
/** What the little script below ends with where there is no ripgrep. */
const NO_RIPGREP = 97;

interface SearchInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
}

/** `search`: lines that match a regular expression. */
export const searchTool: Tool = makeTool({
  name: 'search',
  description:
    'Search files for a regular expression; answers `path:line:text`. `path` is a folder or file, `glob` narrows file names (`*.ts`). Ignored files are left out.',
  input: z.object({ pattern: z.string().min(1), path: z.string().optional(), glob: z.string().optional() }),
  effect: 'read',
  subject: ({ path }) => path ?? '.',
  run: search,
});

async function search(input: SearchInput, context: ToolContext): Promise<ToolAnswer> {
  if (`${input.pattern}${input.glob ?? ''}`.includes('\0'))
    throw new ToolProblem('`pattern` and `glob` may hold no NUL character.');
  const target = findTarget(input.path ?? '.', context);
  const first = await runSearch(
    [
      'sh',
      '-c',
      `command -v rg >/dev/null || exit ${NO_RIPGREP}; exec rg "$@"`,
      'sh',
      ...ripgrepOptions(input),
      '--',
      target,
    ],
    context,
  );
  const outcome =
    first.exitCode === NO_RIPGREP ? await runSearch(['grep', ...grepOptions(input), '--', target], context) : first;
  if (outcome.aborted) return { ...answerError('The search was interrupted.'), aborted: true };
  const cut = outcome.stdout.subarray(
    0,
    outcome.stdout.length - (outcome.truncated ? countCutTail(outcome.stdout) : 0),
  );
  const lines = decodeText(cut);
  if (outcome.timedOut)
    return answerText(`${lines}\n[stopped after ${TIMEOUT_MS / 1000} s: narrow it with path or glob]`);
  if (outcome.exitCode !== 0 && outcome.exitCode !== 1 && lines === '')
    return answerError(`The search failed: ${decodeText(outcome.stderr).trim() || `exit code ${outcome.exitCode}`}`);
  if (lines === '') return answerText('[no line matches]');
  return answerText(outcome.droppedBytes.stdout > 0 ? `${lines}\n[there is more: narrow it with path or glob]` : lines);
}

/** Relative to the session's cwd, as commands see it; never a link. */
function findTarget(path: string, context: ToolContext): string {
  const resolved = locate(path, context);
  if (resolved.kind === 'missing') throw new ToolProblem(`${JSON.stringify(path)} does not exist.`);
  const { stat } = resolved;
  if (!stat.isDirectory() && !stat.isFile())
    throw new ToolProblem(`${JSON.stringify(path)} is ${kindOf(stat)}: it cannot be searched.`);
  return relative(`/${context.cwd}`, `/${resolved.relative}`) || '.';
}

function ripgrepOptions({ pattern, glob }: SearchInput): string[] {
  const options = [
    '--no-config',
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--color=never',
    '--hidden',
    '--glob=!.git',
    '--sort=path',
  ];
  const narrowed = glob === undefined ? [] : [`--glob=${glob}`];
  return [...options, `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview', ...narrowed, `--regexp=${pattern}`];
}

function grepOptions({ pattern, glob }: SearchInput): string[] {
  const narrowed = glob === undefined ? [] : [`--include=${glob}`];
  return ['-rnHIE', '--exclude-dir=.git', '--exclude-dir=node_modules', ...narrowed, '-e', pattern];
}

function runSearch(argv: readonly [string, ...string[]], context: ToolContext) {
  return context.sandbox.run({
    argv,
    cwd: context.cwd,
    stdout: { kind: 'collect', limitBytes: context.outputLimitBytes },
    stderrLimitBytes: 2_000,
    timeoutMs: TIMEOUT_MS,
    signal: context.signal,
  });
}
