/** A session of an agent of a graph run, as a person makes one and goes on with it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStage, type Stage } from './support/stage.ts';

const DOCUMENT = {
  schema: 1,
  nodes: {
    plan: { kind: 'agent', prompt: 'Plan it', tools: ['*'] },
    publish: { kind: 'tool', exec: { command: 'echo published >> plan; echo 1' } },
  },
  edges: [{ from: 'plan', to: 'publish' }],
};

const shell = (command: string) => ({ toolCalls: [{ name: 'shell', input: { command } }] });

/** Files beside the repository: what stands in it would be brought along. */
function write(stage: Stage, name: string, value: unknown): string {
  const path = join(stage.area.folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

test('goes on by hand with what an agent had said and done, also when its run is gone', {
  timeout: 240_000,
}, async (ctx) => {
  const stage = openStage(ctx);
  const document = write(stage, 'document.json', DOCUMENT);
  const replies = write(stage, 'replies.json', { plan: [shell('echo first > plan'), { text: 'planned' }] });
  const more = write(stage, 'more.json', [shell('cp plan seen'), { text: 'and tested' }]);
  const { run } = await stage.ask(['graph', 'run', document, '--model', `scripted:${replies}`]);

  const planned = await stage.ask(['fork', String(run), '--node', 'plan', '--as-session', '--dry-run']);
  expect(planned).toMatchObject({ session: null, dryRun: true, turns: 1, workspace: { restorable: true } });
  const forked = await stage.ramet(['fork', String(run), '--node', 'plan', '--as-session']);
  expect(forked).toMatchObject({ code: 0 });
  const session = forked.stdout.trim();
  expect(forked.stderr).toMatch(/made a session from node plan of run \S+ at \d+: 1 turn, .* 0 tokens/);
  expect(forked.stderr).toContain(`a script for the nodes of the run (${replies}), which has no replies for a session`);
  expect(forked.stderr).toMatch(/go on with another one: ramet run --session \w+ --model <name> "\.\.\."/);

  const { sessions } = await stage.ask(['sessions']);
  expect(sessions).toMatchObject([{ id: session, turns: 1, ownTurns: 0, forkedFrom: { id: run, fromNode: 'plan' } }]);
  const listed = await stage.ramet(['sessions']);
  expect(listed.stdout).toMatch(/session from node plan of run \S+ at \d+/);
  expect((await stage.ramet(['verify', session])).stdout).not.toContain('note:');

  await stage.ask(['remove', String(run), '--yes']);
  await stage.ask(['gc']);
  const ended = await stage.ask(['run', '--session', session, '--model', `scripted:${more}`, 'and the tests?']);
  expect(ended).toMatchObject({ session, turn: 2, text: 'and tested' });
  const { workspace } = (await stage.ask(['show', session])) as { readonly workspace: { readonly path: string } };
  expect(readFileSync(join(workspace.path, 'seen'), 'utf8')).toBe('first\n');
  expect(existsSync(join(stage.repository, 'plan'))).toBe(false);
  const verified = await stage.ramet(['verify', session]);
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.stdout).toMatch(/note: made of node plan of run \S+, which is gone/);
});
