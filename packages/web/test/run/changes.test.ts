import { expect, it } from 'vitest';
import { NO_CHANGES, readChanges } from '../../src/run/fork/changes.ts';

it('sends only what was asked to be changed', () => {
  expect(readChanges(NO_CHANGES)).toEqual({ isOk: true, changes: {} });
  const outputs = new Map([['m[1]/a', '[1]']]);
  expect(readChanges({ input: 'null', graph: null, outputs })).toEqual({
    isOk: true,
    changes: { input: null, outputs: { 'm[1]/a': [1] } },
  });
});

it('sends nothing where a text is no JSON, and names it', () => {
  const read = readChanges({ input: '{', graph: '{}', outputs: new Map([['a', 'oops']]) });
  expect(read.isOk ? [] : [...read.problems.keys()]).toEqual(['output a', 'input']);
});
