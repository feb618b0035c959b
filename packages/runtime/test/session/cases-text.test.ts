import { isRefusal } from '@ramet/core';
import { makeSessionHarness } from '@ramet/testkit';
import { renderWire, startModelEndpoint, type WireReply } from '@ramet/testkit/models';
import { describe, expect, it } from 'vitest';

const reply = (parts: WireReply) => renderWire('anthropic', { tokens: { input: 10, cached: 0, output: 1 }, ...parts });
const shell = (command: string, id: string) =>
  reply({ toolCalls: [{ id, name: 'shell', input: JSON.stringify({ command }) }] });

describe('B05: half a character', () => {
  it('in output, in a reply and in an input of a call never reaches the log or a request', async () => {
    const h = makeSessionHarness();
    const lone = reply({ text: 'a \ud800 b' });
    const turns = [
      // The limit is 64 KiB, half of it for each end: the cut falls into an emoji at either one.
      [shell(`printf 'x'; yes '😀' | tr -d '\\n' | head -c 200000`, 't1'), reply({ text: 'one' })],
      [shell(`printf '\\377\\376bad\\n'`, 't2'), reply({ text: 'two' })],
      [shell(`printf '\\303'; sleep 0.2; printf '\\251'`, 't3'), reply({ text: 'three' })],
      [reply({ toolCalls: [{ id: 't4', name: 'shell', input: '{"command":"echo \\ud800"}' }] }), lone],
      [reply({ text: 'five' })],
    ];
    const endpoint = await startModelEndpoint(turns.flat());
    const settings = { model: 'anthropic/claude-sonnet-4-5', baseUrl: endpoint.url };
    const services = { env: { ...h.services.env, ANTHROPIC_API_KEY: 'k' } };
    let session = null;
    for (const _ of turns) {
      const result = await h.run(session, null, { settings, services });
      if (isRefusal(result) || result.kind !== 'ended') throw new Error(JSON.stringify(result));
      expect(result.end.reason, JSON.stringify(result.error)).toBe('completed');
      session = result.session;
    }
    if (session === null) throw new Error('no session');
    for (const turn of [1, 2, 3, 4]) {
      const child = await h.fork(session, turn);
      const other = await startModelEndpoint([reply({ text: 'child' })]);
      const answer = await h.run(child, null, { settings: { ...settings, baseUrl: other.url }, services });
      expect(answer).toMatchObject({ end: { reason: 'completed' } });
      expect(other.requests.map(({ problem }) => problem)).toEqual([undefined]);
      await other.close();
    }
    expect(endpoint.requests.map(({ problem }) => problem)).toEqual(turns.flat().map(() => undefined));
    expect(h.logOf(session).toString()).not.toMatch(/\\ud[89a-f]/i);
    const results = h.eventsOfType(session, 'tool.result').map(({ output }) => output);
    expect(results[1]).toMatchObject({ value: { stdout: '\ufffd\ufffdbad\n', stdoutEncoding: 'replaced' } });
    expect(results[2]).toMatchObject({ value: { stdout: 'é' } });
    expect(h.problems()).toEqual([]);
    await endpoint.close();
    h.remove();
  });
});
