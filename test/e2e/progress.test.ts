/** What a person reads on stderr while a turn runs, and where the session works. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callShell, openStage, skipWithoutSandbox } from './support/stage.ts';

test('says on stderr what the agent says before its calls, and answers its last words alone', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const script = stage.writeScript([{ ...callShell('true'), text: 'Let me\nlook first.' }, { text: 'Done.' }]);
  const ended = await stage.ramet(['run', '--model', script, 'go']);
  expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(ended.stderr).toMatch(/^session [0-9a-f]{6}\nagent {2}Let me look first\.\nshell {2}true\n/);
});

test('names the folder a session works in, from wherever it is gone on with', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx, { files: { 'src/a.txt': 'a\n' } });
  const script = stage.writeScript([callShell('test -e a.txt'), { text: 'Here.' }]);
  const first = await stage.ramet(['run', '--model', script, 'go'], { cwd: join(stage.repository, 'src') });
  expect(first.stderr).toMatch(/^session [0-9a-f]{6}, in src\/\n/);
  const second = await stage.ramet(['run', '--continue', '--model', script, 'again']);
  expect(second.stderr).toMatch(/^session [0-9a-f]{6}, in src\/\n/);
  expect(second.stderr).not.toContain('exit 1');
});

test('warns that nothing can be undone where the agent works in the folder itself', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const plain = join(stage.area.folder, 'plain');
  mkdirSync(plain);
  const script = stage.writeScript([{ text: 'Done.' }]);
  const args = ['run', '--workspace', 'directory', '--model', script, 'go'];
  const { stderr, code } = await stage.ramet(args, { cwd: plain });
  expect(code).toBe(0);
  expect(stderr).toContain('/plain itself: nothing it does there can be undone\n');
  expect(stderr).toContain('changed: not counted, and no checkpoint: the agent works in the folder itself\n');
});

test('leaves a refusal alone on stderr', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const { session } = await stage.play(null, [{ text: 'one' }]);
  const ended = await stage.ramet(['run', '--session', session]);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^ramet: .+ \(no_open_turn\)\n$/);
});
