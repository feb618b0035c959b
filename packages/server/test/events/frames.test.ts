import { expect, it } from 'vitest';
import { renderFrame, renderFrameBytes } from '../../src/events/frames.ts';

it.each(['{"text":"né"}', '{"a":1,\r\n"b":2}', '{\r}', '{\n}', '{"a":\r\n\r\n1}'])(
  'renders %j as bytes as it does as text',
  (data) => {
    for (const head of [{}, { id: 7 }, { event: 'live' }, { id: 7, event: 'live' }]) {
      expect(Buffer.from(renderFrameBytes(Buffer.from(data), head)).toString()).toBe(renderFrame({ data, ...head }));
    }
  },
);

it('lets no line of a log end a frame, or begin another field', () => {
  expect(renderFrame({ id: 3, data: '{\r\n"id": 9\r}' })).toBe('id: 3\ndata: {\ndata: "id": 9\ndata: }\n\n');
});
