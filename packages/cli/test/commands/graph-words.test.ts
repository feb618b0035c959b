/** What a person reads while and after a graph run works, through the real store, workspace and sandbox. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callShell, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandOutcome, runCommandLine } from '../command-line.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

/** A command line of the person, standing in the repository. */
function ramet(...argv: readonly string[]): Promise<CommandOutcome> {
  return runCommandLine(h.home, argv, { cwd: h.repository, env: { HOME: h.area.home } });
}

/** Keeps a document outside of the repository and answers its path. */
function writeGraph(document: Readonly<Record<string, unknown>>): string {
  mkdirSync(h.area.folder, { recursive: true });
  const path = join(h.area.folder, 'graph.json');
  writeFileSync(path, JSON.stringify({ schema: 1, name: 'letters', ...document }));
  return path;
}

const shell = (command: string): unknown => ({ kind: 'tool', exec: { command }, effect: 'write' });
const GATE = { kind: 'gate', question: 'Send it?' };

/** The id of the one run there is. */
async function findId(): Promise<string> {
  const { runs } = JSON.parse((await ramet('runs', '--json')).stdout) as { runs: readonly { id: string }[] };
  return runs[0]?.id ?? '';
}

describe('graph run', () => {
  test('names the uncommitted changes that stay behind', async () => {
    writeFileSync(join(h.repository, 'mine.txt'), 'mine\n');
    const { stderr, exit } = await ramet('graph', 'run', writeGraph({ nodes: { work: shell('true') } }));
    expect(exit).toBe(0);
    expect(stderr).toMatch(
      /^run \w+\nuncommitted changes stay behind \(--allow-dirty brings them\): mine\.txt\nwork {2}exec/,
    );
  });

  test('names the uncommitted changes that came along', async () => {
    writeFileSync(join(h.repository, 'mine.txt'), 'mine\n');
    const file = writeGraph({ nodes: { work: shell('true') } });
    const { stderr } = await ramet('graph', 'run', file, '--allow-dirty');
    expect(stderr).toContain('\nuncommitted changes came along: mine.txt\n');
  });

  test('says what all its nodes changed together, and how to see and take it', async () => {
    const nodes = { one: shell('echo a > a; echo more >> base.txt'), two: shell('echo b > b; echo again >> a') };
    const { stderr } = await ramet('graph', 'run', writeGraph({ nodes, edges: [{ from: 'one', to: 'two' }] }));
    const short = (await findId()).slice(-6);
    expect(stderr).toContain(
      `\nchanged: 3 files (2 added, 1 modified, 0 deleted): a, b, base.txt\nsee it: ramet diff ${short}   take it: ramet apply ${short}\n`,
    );
    expect((await ramet('apply', short)).exit).toBe(0);
  });

  test('offers nothing to take where nothing changed', async () => {
    const { stderr } = await ramet('graph', 'run', writeGraph({ nodes: { work: shell('true') } }));
    expect(stderr).toContain('\nchanged: no file\n');
    expect(stderr).not.toContain('take it:');
  });

  test('says nothing of files where it has none', async () => {
    const without = await ramet('graph', 'run', writeGraph({ nodes: { ask: GATE } }));
    expect(without).toMatchObject({ exit: 7 });
    expect(without.stderr).not.toContain('changed:');
  });
});

describe('answer', () => {
  test('of the only gate, answered already, says with what, and is refused', async () => {
    await ramet('graph', 'run', writeGraph({ nodes: { ask: GATE } }));
    const id = await findId();
    expect(await ramet('answer', id, 'true')).toMatchObject({ exit: 0 });
    const other = await ramet('answer', id, 'false');
    expect(other).toMatchObject({ exit: 3 });
    expect(other.stderr).toContain('gate ask was answered already, with true; fork the run before it');
    expect(other.stderr).toContain('(gate_answered)');
    const same = await ramet('answer', id, 'true', '--no-start');
    expect(same).toMatchObject({ exit: 0, stderr: expect.stringContaining('answered ask') });
  });

  test('that is the same again starts no run again that failed since', async () => {
    const nodes = { ask: GATE, work: shell('exit 3') };
    await ramet('graph', 'run', writeGraph({ nodes, edges: [{ from: 'ask', to: 'work' }] }));
    const id = await findId();
    expect(await ramet('answer', id, 'true')).toMatchObject({ exit: 2 });
    const before = (await ramet('log', id)).stdout;
    const again = await ramet('answer', id, 'true', '--json');
    expect(again.exit).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({ code: 'nothing_to_do', run: id, node: 'ask' });
    expect((await ramet('log', id)).stdout).toBe(before);
  });
});

test('a turn whose checkpoint has no git directory says so in the end and in the log', async () => {
  const model = h.writeScript([callShell('rm -rf .git; echo a > a'), { text: 'done' }]);
  const { stderr } = await ramet('run', '--model', model, 'break it');
  const said = /\nthere is no git directory: .+; the checkpoint holds the files alone, no commit, branch or index/;
  expect(stderr).toMatch(said);
  const { sessions } = JSON.parse((await ramet('sessions', '--json')).stdout) as {
    sessions: readonly { id: string }[];
  };
  const { stdout } = await ramet('log', sessions[0]?.id ?? '', '--type', 'workspace.checkpoint');
  expect(stdout).toContain('there is no git directory: ');
});
