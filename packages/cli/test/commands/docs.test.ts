import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs/using')).map((name) => join('docs/using', name))];

/** Every `ramet ...` of a page's shell blocks and inline code. */
function listCommands(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...text.matchAll(/`(ramet [^`]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline].flatMap(
    (line) => /(?:^|\|\s*|npx )(ramet .+?)(?:\s+#.*|\s+\|.*)?$/.exec(line)?.[1] ?? [],
  );
}

/** The words of a command line up to the command itself. */
function wordsOf(verb: string, second: string): readonly string[] {
  if (verb === 'graph') return [verb, second];
  if (verb !== 'sessions' && verb !== 'runs') return [verb];
  return [verb, /^[a-z]+$/.test(second) ? second : 'list'];
}

test.each(PAGES)('every command in %s exists with its flags', async (page) => {
  const store = makeTestStore();
  const commands = listCommands(page);
  if (page !== 'docs/using/README.md') expect(commands).not.toEqual([]);
  for (const command of commands) {
    const [, verb = '', second = ''] = command.split(' ');
    if (verb.startsWith('-')) continue;
    const help = await store.run([...wordsOf(verb, second), '--help']);
    expect(help.exit, command).toBe(0);
    // What stands in quotes is the agent's to read.
    const flags = command.replace(/"[^"]*"|'[^']*'/g, '').match(/--[a-z-]+/g) ?? [];
    for (const flag of flags) expect(help.stdout, command).toContain(flag);
  }
});
