import { expect, test } from 'vitest';
import { nameOfRow, renderName } from '../../src/data/names.ts';

test('a title names, else the graph in brackets as on the command line, else nothing does', () => {
  expect(renderName('ship it', 'publish')).toBe('ship it');
  expect(renderName('', 'publish')).toBe('(publish)');
  expect(renderName('')).toBe('Untitled');
});

test('a session is not named by its model, which stands where a run has its graph', () => {
  expect(nameOfRow({ kind: 'session', title: '', with: 'anthropic/claude' })).toBe('Untitled');
  expect(nameOfRow({ kind: 'run', title: '', with: 'publish' })).toBe('(publish)');
});

test('a name that an agent wrote cannot steer what shows it', () => {
  expect(renderName('a\u202eb')).not.toContain('\u202e');
  expect(renderName('', 'a\u202eb')).not.toContain('\u202e');
});
