import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestId } from '@ramet/testkit';
import { beforeAll, expect, test } from 'vitest';
import { makeTestStore, renderOutcome, type TestStore } from '../command-line.ts';
import { addChild, addRun, CHILD, RUN } from '../run-store.ts';

const SESSION = makeTestId(0x5e55);
const [short, child, session] = [RUN, CHILD, SESSION].map((id) => id.slice(-6));

let parked: TestStore;
let done: TestStore;

beforeAll(() => {
  parked = makeTestStore();
  addRun(parked, { title: 'spring letters' });
  done = makeTestStore();
  addChild(done, addRun(done, { isDone: true }));
  done.addSession({ id: SESSION, project: null, workspace: 'none', turns: [{ checkpoint: null }] });
  const broken = {
    schema: 1,
    nodes: { a: { kind: 'gate' }, 'b c': { kind: 'nothing' } },
    edges: [{ from: 'a', to: 'x' }],
  };
  writeFileSync(join(done.home, 'broken.json'), JSON.stringify(broken));
  writeFileSync(join(done.home, 'cut.json'), '{"schema": 1,');
});

type Case = readonly [name: string, argv: readonly (string | undefined)[], columns?: number];

const PARKED: readonly Case[] = [
  ['runs-parked', ['runs']],
  ['runs-parked-json', ['runs', '--json']],
  ['show-parked', ['show', short]],
  ['answer-wrong-kind', ['answer', short, '"yes"', '--no-start']],
  ['answer-unknown-gate', ['answer', short, '--gate', 'nobody', 'true', '--no-start']],
  ['answer-no-json', ['answer', short, 'yes', '--no-start']],
];

const DONE: readonly Case[] = [
  ['runs', ['runs']],
  ['runs-narrow', ['runs'], 60],
  ['runs-tree', ['runs', '--tree']],
  ['show-run', ['show', short], 120],
  ['show-run-child', ['show', child]],
  ['show-run-json', ['show', child, '--json']],
  ['show-node', ['show', short, '--node', 'send']],
  ['show-node-unknown', ['show', short, '--node', 'nobody']],
  ['show-run-turn', ['show', short, '--turn', '1']],
  ['log-run', ['log', short], 100],
  ['usage-runs-json', ['usage', short, '--json']],
  ['fork-run-dry-run', ['fork', short, '--from-node', 'all', '--dry-run']],
  ['fork-run-hazard', ['fork', short, '--from-node', 'all']],
  ['fork-run-hazard-json', ['fork', short, '--from-node', 'all', '--json']],
  ['fork-run-no-hazard', ['fork', short, '--from-node', 'all', '--acknowledge-writes', '2,14']],
  ['fork-run-ambiguous', ['fork', short, '--from-node', 'send', '--dry-run']],
  ['fork-run-nowhere', ['fork', short]],
  ['fork-run-twice', ['fork', short, '--at', '5', '--from-node', 'all']],
  ['fork-session-flag', ['fork', session, '--from-node', 'all']],
  ['fork-as-session-of-program', ['fork', short, '--as-session', '--node', 'draft']],
  ['fork-as-session-nowhere', ['fork', short, '--as-session']],
  ['fork-as-session-flag', ['fork', short, '--as-session', '--node', 'draft', '--input', '1']],
  ['fork-node-alone', ['fork', short, '--node', 'draft']],
  ['resume-ended', ['resume', short]],
  ['resume-session', ['resume', session, '--json']],
  ['abandon-ended', ['abandon', short]],
  ['remove-runs-dry-run', ['remove', short, session, '--dry-run']],
  ['graph-validate-broken', ['graph', 'validate', 'broken.json']],
  ['graph-validate-broken-json', ['graph', 'validate', 'broken.json', '--json']],
  ['graph-validate-cut', ['graph', 'validate', 'cut.json']],
  ['graph-run-missing-file', ['graph', 'run', 'nowhere.json']],
  ['graph-run-broken', ['graph', 'run', 'broken.json']],
];

const CASES = [
  ...PARKED.map(([name, argv, columns]) => ({ name, argv, columns, of: (): TestStore => parked })),
  ...DONE.map(([name, argv, columns]) => ({ name, argv, columns, of: (): TestStore => done })),
];

test.each(CASES)('prints $name', async ({ name, argv, columns, of }) => {
  const store = of();
  const words = argv.filter((word) => word !== undefined);
  const outcome = await store.run(words, columns === undefined ? {} : { columns });
  const golden = join(import.meta.dirname, `../golden/${name}.txt`);
  await expect(renderOutcome(store, words, outcome)).toMatchFileSnapshot(golden);
});
