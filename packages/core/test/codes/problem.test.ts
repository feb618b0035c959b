import { CODES, describeError, describeProblem, Failure, isCode, refuse } from '@ramet/core/codes';
import { describe, expect, it, test } from 'vitest';

describe('a thrown error', () => {
  it('is told by its code and data where it is a failure', () => {
    const failure = new Failure('disk_failed', 'the disk is full', { data: { path: '/x' } });
    expect(describeError(failure)).toEqual({ code: 'disk_failed', message: 'the disk is full', data: { path: '/x' } });
  });

  it('is told as a failure of another copy of this code, too: by name and code, not by class', () => {
    const foreign = Object.assign(new Error('git said no'), { name: 'Failure', code: 'git_failed' });
    expect(describeError(foreign)).toEqual({ code: 'git_failed', message: 'git said no', data: {} });
  });

  it.each([
    ['has a code that is none of ours', Object.assign(new Error('gone'), { code: 'ENOENT' })],
    ['has a name of the prototype for a code', Object.assign(new Error('gone'), { name: 'Failure', code: 'toString' })],
    ['is more than one line', new TypeError('gone\nat a place nobody should be shown')],
    ['is no error', 'gone'],
  ])('is a bug in one line where it %s', (_, thrown) => {
    expect(describeError(thrown)).toEqual({ code: 'internal_error', message: 'unexpected: gone', data: {} });
  });

  it.each([[null], [undefined]])('may be %s', (thrown) => {
    expect(describeError(thrown)).toEqual({ code: 'internal_error', message: `unexpected: ${thrown}`, data: {} });
  });

  it('ends with a hint where one is given, and a failure does not', () => {
    expect(describeError(new Error('gone'), '; look there').message).toBe('unexpected: gone; look there');
    expect(describeError(new Failure('git_missing', 'no git'), '; look there').message).toBe('no git');
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])(
    'takes the %s of a system for what a disk says, not for a bug',
    (reason) => {
      const thrown = Object.assign(new Error(`${reason}: no, write`), { code: reason, syscall: 'write' });
      const { code, message, data } = describeError(thrown);
      expect([code, data]).toEqual(['disk_failed', { reason }]);
      expect(message).toMatch(new RegExp(`^${reason}: no, write; the `));
    },
  );

  it('takes other words of a system for unexpected', () => {
    const thrown = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    expect(describeError(thrown).code).toBe('internal_error');
  });
});

test('a problem is one object, whose data can hide neither its code nor its message', () => {
  const refusal = refuse('turn_open', 'a turn is open', { id: 'x', code: 'other', message: 'other' });
  expect(describeProblem(refusal)).toEqual({ code: 'turn_open', message: 'a turn is open', id: 'x' });
  expect(Object.keys(describeProblem(refusal))).toEqual(['code', 'message', 'id']);
});

test('a code is one of the table, and nothing else is', () => {
  expect(Object.keys(CODES).every(isCode)).toBe(true);
  expect(['', 'toString', '__proto__', 7, null].some(isCode)).toBe(false);
});
