import {
  buildCommand,
  buildRouteMap,
  type Command,
  type CommandBuilderArguments,
  type RouteMap,
  type RouteMapBuilderArguments,
} from '@stricli/core';
import type { CliContext } from '../context.ts';
import { type Action, type AnswerFlags, perform } from '../output/answer.ts';
import { renderCommandHelp, renderGroupHelp } from './help.ts';

/** Loads a command's work only when it is run, and prints what comes of it. */
function lazily<F extends AnswerFlags, A extends readonly unknown[]>(
  load: () => Promise<Action<F, A>>,
): () => Promise<(this: CliContext, flags: F, ...args: A) => Promise<void>> {
  return async () =>
    async function (flags, ...args) {
      await perform(this, flags, async () => (await load())(this, flags, args));
    };
}

/** The flag every command has. */
export const JSON_FLAG = {
  kind: 'boolean',
  brief: 'Answer with one JSON document on stdout',
  optional: true,
  withNegated: false,
} as const;

/** A run's id as an argument. */
export const ID_ARGUMENT = { parse: String, placeholder: 'id', brief: 'A whole id, or the end of one' } as const;

/** What is said of a command: in a list, and in its help. */
export interface CommandText {
  readonly brief: string;
  readonly text: string;
  /** Arguments and flags as they are given; without it the command has none worth naming. */
  readonly usage?: string;
  readonly examples: readonly [string, ...string[]];
}

/** Makes a command; its work is loaded when it runs. */
export function defineCommand<
  const F extends AnswerFlags & Readonly<Partial<Record<keyof F, unknown>>>,
  const A extends readonly unknown[],
>(
  spec: Pick<CommandBuilderArguments<F, A, CliContext>, 'parameters'> & {
    readonly load: () => Promise<Action<F, A>>;
    readonly docs: CommandText;
  },
): Command<CliContext> {
  const { load, parameters, docs } = spec;
  const { brief, text, usage = '', examples } = docs;
  const command = buildCommand<F, A, CliContext>({ loader: lazily<F, A>(load), parameters, docs: { brief } });
  const { flags = {}, positional } = command.parameters;
  const args =
    positional === undefined ? [] : positional.kind === 'array' ? [positional.parameter] : positional.parameters;
  return {
    ...command,
    formatHelp: ({ prefix, aliases = [] }) =>
      renderCommandHelp({ prefix, aliases, usage, text, examples, args, flags }),
  };
}

/** Makes a group of commands. */
export function defineGroup<R extends string>(
  spec: Omit<RouteMapBuilderArguments<R, CliContext>, 'docs'> & {
    readonly docs: Omit<CommandText, 'usage'>;
    readonly flags?: readonly (readonly [name: string, brief: string])[];
  },
): RouteMap<CliContext> {
  const { docs, flags = [], ...rest } = spec;
  const { brief, text, examples } = docs;
  const group = buildRouteMap<R, CliContext>({ ...rest, docs: { brief } });
  const commands = group
    .getAllEntries()
    .map(({ name, target }) => ({ name: name['convert-camel-to-kebab'], brief: target.brief }));
  return { ...group, formatHelp: ({ prefix }) => renderGroupHelp({ prefix, text, examples, commands, flags }) };
}
