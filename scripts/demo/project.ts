/** A small project with a failing test, and the scripts of a model that works on it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "prices", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'price.js': 'export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 1);\n}\n',
  'price.test.js': [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { total } from './price.js';",
    '',
    "test('adds up prices', () => {",
    '  assert.equal(total([{ price: 2 }, { price: 3 }]), 5);',
    '});',
    '',
  ].join('\n'),
  'README.md': '# prices\n\nAdds up prices.\n',
};

/** Runs the project's tests and tells the agent (and the log) how they ended. */
const RUN_TESTS = 'node --test >/dev/null 2>&1; echo "tests exit $?"';

/** The turns of the demonstration: replies of a scripted model. */
export const TURNS = {
  fix: [
    { text: 'I look first.', toolCalls: [{ name: 'read_file', input: { path: 'price.js' } }] },
    {
      text: 'The sum starts at 1.',
      toolCalls: [
        { name: 'edit_file', input: { path: 'price.js', old: 'item.price, 1)', new: 'item.price, 0)' } },
        { name: 'shell', input: { command: `${RUN_TESTS}; git commit -qam "Start the sum at zero"` } },
        { name: 'write_file', input: { path: 'CHANGES.md', content: '- the sum starts at zero\n' } },
        { name: 'shell', input: { command: 'git add CHANGES.md; echo "try other currencies" > ideas.txt' } },
      ],
      usage: { inputTokens: 1200, outputTokens: 180 },
    },
    { text: 'Fixed and committed.', usage: { inputTokens: 1500, outputTokens: 20 } },
  ],
  ruin: [
    {
      text: 'I start over.',
      toolCalls: [
        { name: 'shell', input: { command: `git reset -q --hard HEAD~1; rm -f ideas.txt README.md; ${RUN_TESTS}` } },
      ],
      usage: { inputTokens: 1700, outputTokens: 60 },
    },
    { text: 'That did not help.', usage: { inputTokens: 1800, outputTokens: 10 } },
  ],
  look: [
    { text: 'Are we green here?', toolCalls: [{ name: 'shell', input: { command: RUN_TESTS } }] },
    { text: 'We are.', usage: { inputTokens: 1600, outputTokens: 10 } },
  ],
  otherWay: [
    {
      text: 'Another way.',
      toolCalls: [
        {
          name: 'shell',
          input: {
            command: `printf 'export const total = (items) => items.map((item) => item.price).reduce((a, b) => a + b, 0);\\n' > price.js; ${RUN_TESTS}; git commit -qam "Map, then add"`,
          },
        },
      ],
      usage: { inputTokens: 1700, outputTokens: 90 },
    },
    { text: 'Shorter, and still green.', usage: { inputTokens: 1800, outputTokens: 12 } },
  ],
} as const;

/** Makes the project, a repository with one commit, and the script files; returns the script's path by turn. */
export function makeProject(folder: string, env: NodeJS.ProcessEnv): Readonly<Record<keyof typeof TURNS, string>> {
  const project = join(folder, 'prices');
  mkdirSync(project);
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(project, name), content);
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.org'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'Add up prices'],
    ['config', 'user.name', 'Demo'],
    ['config', 'user.email', 'demo@example.org'],
  ]) {
    const done = spawnSync('git', args, { cwd: project, env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')} failed: ${done.stderr.trim()}`);
  }
  const scripts = Object.entries(TURNS).map(([name, replies]) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(replies));
    return [name, path] as const;
  });
  return Object.fromEntries(scripts) as Record<keyof typeof TURNS, string>;
}
