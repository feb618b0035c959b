import { makeSessionHarness } from '@ramet/testkit';
import { expect, it } from 'vitest';

it('who commits where the person has no identity is said when a session starts, and only then', async () => {
  const h = makeSessionHarness();
  const notices: string[] = [];
  const observer = { notice: (text: string) => notices.push(text) };
  await h.turn(null, 'true', { observer });
  expect(notices).toEqual([]);
  h.area.git(h.repository, 'config', '--unset', 'user.email');
  const { session } = await h.turn(null, 'git commit -q --allow-empty -m x && git log -1 --format=%ae', { observer });
  expect(notices).toEqual([expect.stringContaining('the agent commits as Ramet agent <agent@ramet.invalid>')]);
  expect(JSON.stringify(h.eventsOfType(session, 'tool.result').at(-1)?.output)).toContain('agent@ramet.invalid');
  await h.turn(session, 'true', { observer });
  expect(notices).toHaveLength(1);
  h.remove();
});
