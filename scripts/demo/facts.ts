/** What the demonstration says, and what ends it. */

/** Throws when something does not hold. */
export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`this does not hold: ${what}`);
}

/** One line of the demonstration. */
export function say(name: string, words: string): void {
  process.stdout.write(`${name.padEnd(15)} ${words}\n`);
}

/** Paths by their state, from `git status --porcelain=v2 -z`. */
export function readStatus(status: string): {
  readonly staged: readonly string[];
  readonly untracked: readonly string[];
} {
  const entries = status.split('\0');
  return {
    staged: entries.filter((entry) => /^1 [^.]/.test(entry)).map((entry) => entry.split(' ').slice(8).join(' ')),
    untracked: entries.filter((entry) => entry.startsWith('? ')).map((entry) => entry.slice(2)),
  };
}
