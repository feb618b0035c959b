import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestId } from '@ramet/testkit';
import { beforeAll, expect, test } from 'vitest';
import { makeTestStore, type TestStore } from '../command-line.ts';
import { addRun, RUN } from '../run-store.ts';

const ID = makeTestId(0xbad);
const CHILD = makeTestId(0xbed);

/** Sequences that switch a terminal's screen, title, clipboard or reading order, or hide text. */
const NASTY =
  '\u001b[?1049h\u001b[?1003h\u001b]0;title\u0007\u001b]52;c;aGk=\u0007\u001b]8;;http://x\u001b\\\u001bPq\u001b\\\u001bc\u009b31m\u0007\b\b\u202eevil\u202c\u200b\u2066\ufeff\r\n';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

let store: TestStore;

beforeAll(() => {
  store = makeTestStore();
  addRun(store, { title: `title ${NASTY}`, letter: NASTY, question: `Really? ${NASTY}` });
  const broken = { schema: 1, name: NASTY, nodes: { [NASTY]: { kind: NASTY, [NASTY]: 1 } }, [NASTY]: NASTY };
  writeFileSync(join(store.home, 'hostile.json'), JSON.stringify(broken));
  const reply = {
    text: `said ${NASTY}`,
    calls: [
      {
        tool: 'shell',
        input: { command: `printf '${NASTY}'`, [NASTY]: 1 },
        contained: false as const,
        output: { type: 'json' as const, value: { exitCode: 1, stdout: NASTY, stderr: NASTY } },
      },
    ],
  };
  const lines = store.addSession({
    id: ID,
    title: `title ${NASTY}`,
    model: NASTY,
    project: null,
    workspace: 'none',
    turns: [{ checkpoint: null }, { prompt: NASTY, replies: [reply, { text: NASTY }], checkpoint: null }],
  });
  store.addFork(lines, { id: CHILD, at: lines.findIndex(({ event }) => event.type === 'session.end'), title: NASTY });
});

test.each([
  ['runs'],
  ['runs', '--tree'],
  ['runs', '--json'],
  ['show', RUN],
  ['show', RUN, '--full'],
  ['show', RUN, '--json'],
  ['show', RUN, '--node', 'approve', '--full'],
  ['show', RUN, '--node', NASTY],
  ['log', RUN],
  ['log', RUN, '--json'],
  ['fork', RUN, '--from-node', 'approve', '--dry-run'],
  ['fork', RUN, '--from-node', NASTY, '--json'],
  ['fork', RUN, '--from-node', 'draft', '--output', `${NASTY}=1`],
  ['fork', RUN, '--from-node', 'draft', '--input', NASTY],
  ['fork', RUN, '--from-node', 'draft', '--graph', NASTY.replaceAll('\0', '')],
  ['answer', RUN, NASTY],
  ['answer', RUN, '--gate', NASTY, 'true'],
  ['answer', RUN, '1'],
  ['abandon', NASTY],
  ['resume', NASTY, '--json'],
  ['resume', ID],
  ['graph', 'run', 'hostile.json'],
  ['graph', 'validate', 'hostile.json'],
  ['graph', 'validate', 'hostile.json', '--json'],
  ['graph', NASTY],
  ['sessions'],
  ['sessions', '--tree'],
  ['sessions', '--json'],
  ['show', ID],
  ['show', ID, '--full'],
  ['show', ID, '--json'],
  ['log', ID],
  ['log', ID, '--json'],
  ['usage'],
  ['usage', '--json'],
  ['verify', ID],
  ['fork', ID, '--at', '6', '--dry-run'],
  ['fork', ID, '--at', '6', '--dry-run', '--json'],
  ['remove', ID],
  ['remove', ID, '--dry-run', '--json'],
  ['prune', '--to', '0', '--dry-run'],
  ['show', NASTY],
  ['show', `--${NASTY}`],
  [NASTY],
  ['title', ID, NASTY, '--json'],
  ['run', '--session', NASTY, 'x', '--json'],
])('%s %s lets no control sequence out', async (...argv) => {
  const { stdout, stderr } = await store.run(argv.filter((word) => word !== undefined));
  expect(stdout).not.toMatch(FORBIDDEN);
  expect(stderr).not.toMatch(FORBIDDEN);
  expect(stdout + stderr).not.toBe('');
});

test('shows raw lines safely on a terminal, and byte for byte to a pipe', async () => {
  const piped = await store.run(['log', ID, '--raw']);
  const shown = await store.run(['log', ID, '--raw'], { columns: 80 });
  expect(piped.stdout).toMatch(FORBIDDEN);
  expect(shown.stdout).not.toMatch(FORBIDDEN);
  const parse = (text: string): unknown[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(parse(shown.stdout)).toEqual(parse(piped.stdout));
});

test('keeps one line for a run, whatever its title, and a tree of its own nodes alone', async () => {
  const list = await store.run(['runs']);
  expect(list.stdout.trimEnd().split('\n')).toHaveLength(2);
  const { stdout } = await store.run(['show', RUN]);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .slice(-4)
      .map((line) => line.split(' ')[0]),
  ).toEqual(['draft', 'approve', 'decision', 'all']);
});

test('keeps one line for a session, whatever its title', async () => {
  const { stdout } = await store.run(['sessions']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(3);
});
