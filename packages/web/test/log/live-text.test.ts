import { describe, expect, it } from 'vitest';
import { addLive, dropLive, type LiveText } from '../../src/log/live-text.ts';

const say = (kind: LiveText['kind'], text: string) => JSON.stringify({ kind, text });
const stream = (...data: readonly string[]) => data.reduce<readonly LiveText[]>(addLive, []);

describe('what streams', () => {
  it('goes on with what is of the same kind', () => {
    expect(stream(say('reasoning', 'hm'), say('text', 'Hel'), say('text', 'lo'))).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'Hello' },
    ]);
  });

  it('is gone when the event that holds it is there, and only then', () => {
    const live = stream(say('text', 'Hello'), say('output', 'make: done'));
    expect(dropLive(live, 'model.response')).toEqual([{ kind: 'output', text: 'make: done' }]);
    expect(dropLive(live, 'tool.result')).toEqual([{ kind: 'text', text: 'Hello' }]);
    expect(dropLive(live, 'approval.request')).toBe(live);
    expect(dropLive(live, 'session.end')).toEqual([]);
  });

  it('is kept by its end when it is long, and left out when it is nothing we know', () => {
    const [long] = stream(say('output', 'x'.repeat(90_000)), say('output', `${'y'.repeat(90_000)}!`));
    expect(long?.text).toHaveLength(100_000);
    expect(long?.text.endsWith('y!')).toBe(true);
    expect(stream('not JSON', '{"kind":"other","text":"x"}', '{"kind":"text"}')).toEqual([]);
  });
});
