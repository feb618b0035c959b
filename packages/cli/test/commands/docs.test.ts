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

test.each(PAGES)('every command in %s exists with its flags', async (page) => {
  const store = makeTestStore();
  const commands = listCommands(page);
  if (page !== 'docs/using/README.md') expect(commands).not.toEqual([]);
  for (const command of commands) {
    const [, verb = ''] = command.split(' ');
    if (verb.startsWith('-')) continue;
    const help = await store.run(verb === 'sessions' ? ['sessions', 'list', '--help'] : [verb, '--help']);
    expect(help.exit, command).toBe(0);
    // What stands in quotes is the agent's to read.
    const flags = command.replace(/"[^"]*"|'[^']*'/g, '').match(/--[a-z-]+/g) ?? [];
    for (const flag of flags) expect(help.stdout, command).toContain(flag);
  }
});
