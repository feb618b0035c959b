/** What is told of a command line that cannot be understood: one line each. */
import { ArgumentScannerError, formatMessageForArgumentScannerError } from '@stricli/core';

/** What is not a flag among the things that are parsed. */
const ARGUMENTS: ReadonlySet<string> = new Set(['id', 'title', 'prompt', 'file', '-']);

/** The words for an error of the parser. */
export function describeMisuse(error: unknown): string {
  if (!(error instanceof ArgumentScannerError)) return error instanceof Error ? error.message : String(error);
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `there is no flag --${input}${suggest(corrections.map((name) => `--${name}`))}`,
    AliasNotFoundError: ({ input }) => `there is no flag -${input}`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      `${ARGUMENTS.has(name) ? `<${name}>` : `--${name}`}: ${exception instanceof Error ? exception.message : String(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName}: expected ${values.join(', ')}, found '${input}'`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} is missing or needs a value`,
    UnsatisfiedPositionalError: ({ placeholder }) => `<${placeholder}> is missing`,
    UnexpectedPositionalError: ({ input }) => `'${input}' is one argument too many`,
    UnexpectedFlagError: ({ externalFlagName }) => `--${externalFlagName} was given twice`,
  });
}

/** Whether a word could be a slip for another: of three letters, two wrong ones leave nothing of it. */
export function isSlip(input: string, correction: string): boolean {
  return input.length > 3 || (input.length === 3 && input[0] === correction[0]);
}

/** A "did you mean" for the end of a line; empty without anything near. */
export function suggest(corrections: readonly string[]): string {
  const near = corrections.map((correction) => correction.replaceAll('`', ''));
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}
