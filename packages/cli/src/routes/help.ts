/** Help texts: how it is called, what it does, examples, arguments and flags; never wider than 80 columns. */
import { padText, widthOf, wrapLine, wrapWords } from '@ramet/core/text';

const WIDTH = 80;
/** Names wider than this get their explanation on the next line. */
const NAMES = 30;

export interface FlagHelp {
  readonly kind: string;
  readonly brief: string;
  readonly optional?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly default?: unknown;
  readonly variadic?: boolean | string | undefined;
}

export interface ArgumentHelp {
  readonly brief: string;
  readonly placeholder?: string | undefined;
}

export interface CommandHelp {
  /** Words of the command line up to this command. */
  readonly prefix: readonly string[];
  readonly aliases: readonly string[];
  readonly usage: string;
  readonly text: string;
  readonly examples: readonly string[];
  readonly args: readonly ArgumentHelp[];
  readonly flags: Readonly<Record<string, FlagHelp>>;
}

/** The help of a command. */
export function renderCommandHelp(help: CommandHelp): string {
  const { prefix, usage, text, examples, args, flags } = help;
  const line = [...prefix, ...splitUsage(usage)];
  const seen = new Set<string>();
  const named = args.flatMap(({ placeholder = 'value', brief }): readonly Row[] => {
    if (seen.has(placeholder)) return [];
    seen.add(placeholder);
    return [[`<${placeholder}>`, brief]];
  });
  const rows = Object.entries(flags).map(([name, flag]): Row => [nameFlag(name, flag), explainFlag(flag)]);
  return renderSections([
    ['USAGE', wrapWords(line, WIDTH - 2, '    ')],
    [null, wrapLine(text, WIDTH - 2)],
    [examples.length === 1 ? 'EXAMPLE' : 'EXAMPLES', examples.map((example) => `$ ${example}`)],
    ['ARGUMENTS', renderRows(named)],
    ['FLAGS', renderRows([...rows, HELP_ROW])],
    [null, listAliases(help)],
  ]);
}

export interface GroupHelp {
  readonly prefix: readonly string[];
  readonly text: string;
  readonly examples: readonly string[];
  readonly commands: readonly { readonly name: string; readonly brief: string }[];
  readonly flags: readonly Row[];
}

/** The help of a group of commands. */
export function renderGroupHelp({ prefix, text, examples, commands, flags }: GroupHelp): string {
  return renderSections([
    ['USAGE', [`${prefix.join(' ')} <command> [<argument>...] [flags]`]],
    [null, wrapLine(text, WIDTH - 2)],
    ['EXAMPLES', examples.map((example) => `$ ${example}`)],
    ['COMMANDS', renderRows(commands.map(({ name, brief }): Row => [name, brief]))],
    ['FLAGS', renderRows([...flags, HELP_ROW])],
  ]);
}

type Row = readonly [name: string, brief: string];

const HELP_ROW: Row = ['-h, --help', 'Show this'];

function renderSections(sections: readonly (readonly [head: string | null, lines: readonly string[]])[]): string {
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([head, lines]) =>
      head === null ? lines.join('\n') : `${head}\n${lines.map((line) => `  ${line}`).join('\n')}`,
    )
    .join('\n\n')
    .concat('\n');
}

function renderRows(rows: readonly Row[]): readonly string[] {
  const names = rows.map(([name]) => widthOf(name)).filter((width) => width <= NAMES);
  const column = Math.max(0, ...names) + 2;
  return rows.flatMap(([name, brief]) => {
    const [first = '', ...rest] = wrapLine(brief, WIDTH - 2 - column);
    const blank = ' '.repeat(column);
    const head = widthOf(name) > NAMES ? [name, `${blank}${first}`] : [`${padText(name, column)}${first}`];
    return [...head, ...rest.map((line) => `${blank}${line}`)];
  });
}

function nameFlag(name: string, { placeholder, values, variadic }: FlagHelp): string {
  const value = values === undefined ? placeholder : values.join('|');
  const shown = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return `${shown}${value === undefined ? '' : ` <${value}>`}${variadic === undefined ? '' : '...'}`;
}

function explainFlag({ kind, brief, optional, default: standard }: FlagHelp): string {
  if (standard !== undefined) return `${brief} (${String(standard)} without it)`;
  return optional === true || kind === 'boolean' ? brief : `${brief} (required)`;
}

/** Words of a usage line; what stands in brackets is not broken. */
function splitUsage(usage: string): readonly string[] {
  return usage.match(/\[[^\]]*\](?:\.\.\.)?|\([^)]*\)|--[\w-]+ <[^>]*>|\S+/g) ?? [];
}

function listAliases({ prefix, aliases }: CommandHelp): readonly string[] {
  if (aliases.length === 0) return [];
  const whole = aliases.map(
    (alias) => `\`${[...prefix.slice(0, -1), alias].filter((word) => word !== '').join(' ')}\``,
  );
  return [`Also: ${whole.join(', ')}`];
}
