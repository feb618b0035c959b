/** What is lost or changed on the disk is said; nothing is done on a guess. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerGate } from '@ramet/runtime/graph';
import { cel, type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

const long = makeFunction('long', () => 'x'.repeat(400_000));

test('an output that was lost is not taken for its words: what needs it is not begun, and the log stays as it is', async () => {
  const sent: unknown[] = [];
  const post = makeFunction('post', (input) => sent.push(input), { effect: 'write', contained: () => false });
  const functions = [long, post];
  const nodes = {
    a: { kind: 'tool', tool: 'long' },
    g: { kind: 'gate', question: 'Go on?', input: 1 },
    w: { kind: 'tool', tool: 'post', input: cel('nodes.a.output') },
  } as const;
  const edges = [
    { from: 'a', to: 'g' },
    { from: 'g', to: 'w' },
  ];
  const { run } = await harness.start({ nodes, edges }, { functions });
  await harness.answer(run, 'g', true);
  const blobs = join(harness.store.pathsOf(run).folder, 'blobs');
  const [name = ''] = readdirSync(blobs);
  const bytes = readFileSync(join(blobs, name));
  const damage: readonly (() => void)[] = [
    () => rmSync(join(blobs, name)),
    () => writeFileSync(join(blobs, name), 'x'.repeat(399_999)),
  ];
  for (const harm of damage) {
    harm();
    await expect(harness.resume(run, { functions })).rejects.toMatchObject({
      code: 'log_damaged',
      message: expect.stringContaining(name),
    });
    expect(sent).toEqual([]);
    expect(harness.story(run)).not.toContain('node.enter w');
  }
  writeFileSync(join(blobs, name), bytes);
  expect(await harness.resume(run, { functions })).toMatchObject({ status: 'completed' });
  expect(sent).toEqual(['x'.repeat(400_000)]);
});

test('a changed first event is called damage by every verb, whichever byte it is', async () => {
  const { run } = await harness.start({ nodes: { g: { kind: 'gate', question: 'Go on?' } } });
  const path = join(harness.store.pathsOf(run).folder, 'log/000000000000.jsonl');
  const bytes = readFileSync(path);
  chmodSync(path, 0o600);
  const places = Array.from({ length: bytes.length }, (_, index) => index).filter((index) => index % 7 === 0);
  const damaged = expect.objectContaining({ code: 'log_damaged' });
  for (const place of [...places, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    writeFileSync(path, changed);
    expect(await harness.tryForkAt(run, { fromNode: 'g', dryRun: true }), `${place}`).toEqual(damaged);
    const answered = await answerGate(harness.services, { id: run, answer: true, by: 'person' });
    expect(answered, `${place}`).toEqual(damaged);
  }
  writeFileSync(path, bytes);
  await harness.answer(run, 'g', true);
  expect(await harness.resume(run)).toMatchObject({ status: 'completed', output: true });
});
