import { isRefusal } from '@ramet/core';
import { makeSessionHarness } from '@ramet/testkit';
import { expect, it, onTestFinished } from 'vitest';

it('answers a last text so long that it lies beside the log', async () => {
  const h = makeSessionHarness();
  onTestFinished(() => h.remove());
  const long = 'A'.repeat(400_000);
  const result = await h.run(null, [{ text: long }]);
  expect(isRefusal(result) || result.kind !== 'ended' ? result : result.text === long).toBe(true);
});
