import type { WriteHazard } from '@ramet/client';
import { describe, expect, it } from 'vitest';
import {
  acknowledge,
  addWrites,
  beginAcknowledgement,
  isAcknowledged,
  replaceWrites,
  writesOfProblem,
} from '../../src/run/fork/acknowledgement.ts';

function makeWrite(offset: number, key = `key ${offset}`): WriteHazard {
  const said = { tool: 'exec', input: {}, time: '2026-01-01T00:00:00.000Z', outcome: 'ok', node: 'send' };
  return { offset, key, ...said, effect: 'write', relation: 'descends', straddles: false };
}

describe('what a person acknowledges', () => {
  it('is complete only when every single write was acknowledged', () => {
    let state = beginAcknowledgement([makeWrite(9), makeWrite(4)]);
    expect(state.writes.map(({ offset }) => offset)).toEqual([4, 9]);
    expect(isAcknowledged(state)).toBe(false);
    state = acknowledge(state, 4, true);
    expect(isAcknowledged(state)).toBe(false);
    state = acknowledge(state, 9, true);
    expect(isAcknowledged(state)).toBe(true);
    expect(isAcknowledged(acknowledge(state, 4, false))).toBe(false);
  });

  it('is complete from the beginning when there is nothing to acknowledge', () => {
    expect(isAcknowledged(beginAcknowledgement([]))).toBe(true);
  });

  it('does not cover a write that came meanwhile, which is marked', () => {
    const state = addWrites(acknowledge(beginAcknowledgement([makeWrite(4)]), 4, true), [makeWrite(12)]);
    expect([...state.acknowledged]).toEqual([4]);
    expect([...state.added]).toEqual([12]);
    expect(isAcknowledged(state)).toBe(false);
    expect(isAcknowledged(acknowledge(state, 12, true))).toBe(true);
  });

  it('covers only the write it was said of', () => {
    const before = acknowledge(beginAcknowledgement([makeWrite(4), makeWrite(5)]), 4, true);
    expect([...replaceWrites(before, [makeWrite(4, 'another')]).acknowledged]).toEqual([]);
    expect([...replaceWrites(before, [makeWrite(5)]).acknowledged]).toEqual([]);
    expect([...acknowledge(before, 99, true).acknowledged]).toEqual([4]);
  });

  it('is asked for by a refusal of writes alone', () => {
    const writes = [makeWrite(3)];
    expect(writesOfProblem({ code: 'write_replay_hazard', writes })).toEqual(writes);
    expect(writesOfProblem({ code: 'write_replay_hazard', writes: [null, 'x'] })).toEqual([]);
    expect(writesOfProblem({ code: 'graph_changed', writes })).toEqual([]);
  });
});
