/** Kinds of flags that several commands have; a route adds what it says of one. */
import { parseAmount, parseCount, parseOffset, parseSeconds, parseText, parseTitle } from './parse.ts';
import { parseRule } from './rules.ts';

/** Given or not; there is no `--no-...` form. */
export const SWITCH = { kind: 'boolean', optional: true, withNegated: false } as const;

/** Any text but none. */
export const TEXT = { kind: 'parsed', parse: parseText, optional: true } as const;

/** Of a session or run. */
export const TITLE = { kind: 'parsed', parse: parseTitle, optional: true } as const;

/** Repeatable. */
export const TEXTS = { ...TEXT, variadic: true } as const;

/** From 1. */
export const COUNT = { kind: 'parsed', parse: parseCount, placeholder: 'n', optional: true } as const;

/** From 0. */
export const OFFSET = { kind: 'parsed', parse: parseOffset, placeholder: 'offset', optional: true } as const;

/** Of money or days. */
export const AMOUNT = { kind: 'parsed', parse: parseAmount, placeholder: 'amount', optional: true } as const;

/** Seconds, or such as `10m`. */
export const TIME = { kind: 'parsed', parse: parseSeconds, placeholder: 'time', optional: true } as const;

/** Rules about tools; repeatable. */
export const RULES = {
  kind: 'parsed',
  parse: parseRule,
  placeholder: 'tool[:glob]',
  variadic: true,
  optional: true,
} as const;

/** Where something new works. */
export const WORKSPACE = { kind: 'enum', values: ['git', 'directory', 'none'], optional: true } as const;

/** The flag of every command that may ask. */
export const YES_FLAG = { ...SWITCH, brief: 'Answer every question with yes' } as const;
