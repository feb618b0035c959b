/** Words as a person can paste them into a shell; what a shell would read differently is quoted. */
export function renderWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;
