/** What a person reads and has to give where a call waits, is denied, or a request fails. */
import { expect, test } from 'vitest';
import { callShell, openStage, type Stage, skipWithoutSandbox } from './support/stage.ts';

async function sessionOf(stage: Stage, index = 0): Promise<string> {
  const { sessions } = (await stage.ask(['sessions'])) as { sessions: readonly { readonly id: string }[] };
  return sessions[index]?.id ?? '';
}

test('a parked call is asked again by the command that goes on, and its hint names the flags it needs', async (ctx) => {
  const stage = openStage(ctx);
  const model = stage.writeScript([callShell('touch ran'), { text: 'Done.' }]);
  const parked = await stage.ramet(['run', '--no-sandbox', '--on-ask', 'park', '--model', model, 'go']);
  expect(parked.code).toBe(7);
  expect(parked.stderr).toMatch(/or with --yes: ramet run --session [0-9a-f]{6} --no-sandbox\n/);
  const session = await sessionOf(stage);
  const onward = ['run', '--session', session];
  const other = await stage.ask([...onward, '--yes'], { exit: 1 });
  expect(other).toMatchObject({ code: 'bad_usage', flags: ['--no-sandbox'] });
  const still = await stage.ask([...onward, '--no-sandbox', '--on-ask', 'park'], { exit: 7 });
  expect(still).toMatchObject({ code: 'approval_pending', flags: ['--no-sandbox'] });
  expect(await stage.ask([...onward, '--no-sandbox', '--yes'])).toMatchObject({ text: 'Done.', denied: [] });
  const shown = await stage.ramet(['show', session]);
  expect(shown.stdout).toContain('answer allow (by a flag)');
});

test('a denied call is told with its command, the rule, and where that comes from, until it is forgotten', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const model = stage.writeScript([callShell('echo x'), { text: 'Done.' }]);
  const first = await stage.ramet(['run', '--deny', 'shell:echo*', '--model', model, 'go']);
  const session = await sessionOf(stage);
  expect(first.stderr).toContain('\nshell  echo x  denied by the rule shell:echo* (--deny)\n');
  expect(first.stderr).toContain('\ndenied  shell  echo x  by the rule shell:echo* (--deny)\n');
  expect((await stage.ramet(['show', session])).stdout).toMatch(/^rules +deny shell:echo\* \(--deny\)$/m);
  const later = await stage.ramet(['run', '--session', session, 'again']);
  expect(later.stderr).toContain('by the rule shell:echo* (--deny of an earlier turn)\n');
  const forgotten = await stage.ramet(['run', '--session', session, '--forget-rules', 'again']);
  expect(forgotten.stderr).not.toContain('denied');
  expect((await stage.ramet(['show', session])).stdout).not.toMatch(/^rules/m);
});

test('a request that fails takes one line for each try, and the error', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://nobody.invalid/v1' };
  const { stderr, code } = await stage.ramet(['run', '--model', 'anthropic/claude-sonnet-4-5', 'go'], { env });
  expect(code).toBe(2);
  expect(stderr.match(/failed: /g)).toHaveLength(2);
  expect(stderr).toMatch(
    /\nanthropic\/\S+ failed: .*; trying again in 1 s\nturn 1 failed in [\d.]+ s, no reply\nerror: /,
  );
});
