/**
 * Regular expressions without anything that needs backtracking: the common part of JavaScript's (with the flag `u`), CEL's
 * and JSON Schema's. No backreferences, no lookaround, no flags, no Unicode properties.
 */

/** From and to, both included, as code points. */
export type Range = readonly [number, number];

/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'word' | 'no word' }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number };

/** Why a pattern is refused. */
export class PatternProblem extends Error {}

/** Groups in groups. */
const DEPTH_LIMIT = 50;

const DIGITS: readonly Range[] = [[48, 57]];
const WORD: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACE: readonly Range[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** What `.` does not take. */
const LINE_ENDS: readonly Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const CLASSES = new Map([
  ['d', DIGITS],
  ['w', WORD],
  ['s', SPACE],
]);
const CONTROLS = new Map([
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['f', 12],
  ['v', 11],
  ['0', 0],
]);

/** A word character of `\b`. */
export function isWord(code: number): boolean {
  return WORD.some(([from, to]) => code >= from && code <= to);
}

/** Reads a pattern; throws a `PatternProblem`. */
export function parsePattern(text: string): PatternNode {
  return new PatternParser(text).parse();
}

class PatternParser {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#chars = [...text];
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#chars.length) throw this.#problem("')' without '('");
    return node;
  }

  #choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#chars.length && this.#peek() !== '|' && this.#peek() !== ')')
      parts.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const counts = this.#counts();
    if (counts === null) return part;
    if (part.kind === 'assert') throw this.#problem('nothing to repeat');
    this.#take('?');
    if (this.#counts() !== null) throw this.#problem('nothing to repeat');
    return { kind: 'repeat', part, ...counts };
  }

  #counts(): { readonly min: number; readonly max: number } | null {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (!this.#take('{')) return null;
    const min = this.#number();
    const max = this.#take(',') ? (this.#peek() === '}' ? Number.POSITIVE_INFINITY : this.#number()) : min;
    if (!this.#take('}') || max < min) throw this.#problem('a count is {2}, {2,} or {2,5}');
    return { min, max };
  }

  #number(): number {
    let digits = '';
    while (/^[0-9]$/.test(this.#peek()) && digits.length < 5) digits += this.#next();
    if (digits === '') throw this.#problem('a count is {2}, {2,} or {2,5}');
    return Number(digits);
  }

  #atom(): PatternNode {
    const char = this.#next();
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '.') return { kind: 'set', ranges: LINE_ENDS, negated: true };
    if (char === '^') return { kind: 'assert', what: 'start' };
    if (char === '$') return { kind: 'assert', what: 'end' };
    if (char === '\\') return this.#escape();
    if ('*+?{}]'.includes(char)) throw this.#problem(`a plain '${char}' is written '\\${char}'`);
    return setOf(char.codePointAt(0) ?? 0);
  }

  #group(): PatternNode {
    if (this.#take('?') && !this.#take(':'))
      throw this.#problem("of groups there are '(…)' and '(?:…)': no lookaround, names or flags");
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) throw this.#problem('groups are nested too deep');
    const node = this.#choice();
    this.#depth -= 1;
    if (!this.#take(')')) throw this.#problem("'(' without ')'");
    return node;
  }

  #escape(): PatternNode {
    const char = this.#peek();
    if (char === 'b' || char === 'B') {
      this.#next();
      return { kind: 'assert', what: char === 'b' ? 'word' : 'no word' };
    }
    const ranges = CLASSES.get(char.toLowerCase());
    if (ranges === undefined) return setOf(this.#escapedCode());
    this.#next();
    return { kind: 'set', ranges, negated: char !== char.toLowerCase() };
  }

  /** The character that an escape stands for. */
  #escapedCode(): number {
    const char = this.#next();
    const control = CONTROLS.get(char);
    if (control !== undefined && !(char === '0' && /^[0-9]$/.test(this.#peek()))) return control;
    if (char === 'x') return this.#hex(2);
    if (char === 'u' && this.#peek() !== '{') return this.#hex(4);
    if (/^[\^$\\.*+?()[\]{}|/-]$/.test(char)) return char.codePointAt(0) ?? 0;
    throw this.#problem(`'\\${char}' is not part of these patterns`);
  }

  #hex(length: number): number {
    const digits = this.#chars.slice(this.#at, this.#at + length).join('');
    if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) throw this.#problem('an escape without its digits');
    this.#at += length;
    return Number.parseInt(digits, 16);
  }

  #class(): PatternNode {
    const negated = this.#take('^');
    const ranges: Range[] = [];
    while (!this.#take(']')) {
      const from = this.#classMember();
      if (typeof from !== 'number') ranges.push(...from);
      else if (this.#peek() === '-' && this.#chars[this.#at + 1] !== ']') ranges.push(this.#range(from));
      else ranges.push([from, from]);
    }
    return { kind: 'set', ranges, negated };
  }

  #range(from: number): Range {
    this.#next();
    const to = this.#classMember();
    if (typeof to !== 'number' || to < from)
      throw this.#problem('a range in a class goes up, from one character to one');
    return [from, to];
  }

  #classMember(): number | readonly Range[] {
    const char = this.#next();
    if (char === '') throw this.#problem("'[' without ']'");
    if (char !== '\\') return char.codePointAt(0) ?? 0;
    const named = this.#peek();
    const ranges = CLASSES.get(named.toLowerCase());
    if (ranges === undefined) return this.#take('b') ? 8 : this.#escapedCode();
    this.#next();
    return named === named.toLowerCase() ? ranges : complementOf(ranges);
  }

  #peek(): string {
    return this.#chars[this.#at] ?? '';
  }

  #next(): string {
    const char = this.#peek();
    if (char !== '') this.#at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }

  #problem(message: string): PatternProblem {
    return new PatternProblem(`${message}, at character ${this.#at}`);
  }
}

function setOf(code: number): PatternNode {
  return { kind: 'set', ranges: [[code, code]], negated: false };
}

function complementOf(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = [];
  let from = 0;
  for (const [low, high] of ranges) {
    if (low > from) gaps.push([from, low - 1]);
    from = high + 1;
  }
  return [...gaps, [from, 0x10ffff]];
}
