import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Digest, Failure } from '@ramet/core';
import { keepGraph, readGraph } from '@ramet/runtime/store';
import { sha256 } from '@ramet/testkit';
import { runWithFault } from '@ramet/testkit/fault-harness';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeHome } from './helpers.ts';

const BYTES = Buffer.from(canonicalJson({ nodes: { a: { kind: 'tool' } }, edges: [] }));
const HASH = sha256(BYTES);

let home: string;
beforeEach(() => {
  home = makeHome();
});

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('the document of a run', () => {
  it('is kept under its hash, for the person alone, and read back', () => {
    keepGraph(home, HASH, BYTES);
    const path = join(home, 'graphs', `${HASH}.json`);
    expect(readFileSync(path)).toEqual(BYTES);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(home, 'graphs')).mode & 0o777).toBe(0o700);
    expect(Buffer.from(readGraph(home, HASH))).toEqual(BYTES);
  });

  it('may be kept again, and is not written again', () => {
    keepGraph(home, HASH, BYTES);
    const { ino, mtimeMs } = lstatSync(join(home, 'graphs', `${HASH}.json`));
    keepGraph(home, HASH, BYTES);
    expect(lstatSync(join(home, 'graphs', `${HASH}.json`))).toMatchObject({ ino, mtimeMs });
    expect(readdirSync(join(home, 'graphs'))).toHaveLength(1);
  });

  it.each([
    ['missing', (path: string) => rmSync(path), 'is missing'],
    ['another one', (path: string) => writeFileSync(path, '{}'), 'holds another document'],
    ['cut off', (path: string) => writeFileSync(path, BYTES.subarray(0, 5)), 'holds another document'],
  ])('is named as damaged when it is %s, and can be put right', (_, damage, says) => {
    keepGraph(home, HASH, BYTES);
    damage(join(home, 'graphs', `${HASH}.json`));
    const failure = failureOf(() => readGraph(home, HASH)) as Failure;
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: 'log_damaged', data: { graph: HASH } });
    expect(failure.message).toContain(says);
    keepGraph(home, HASH, BYTES);
    expect(Buffer.from(readGraph(home, HASH))).toEqual(BYTES);
  });

  it('is not kept under the hash of another', () => {
    expect(() => keepGraph(home, sha256('x'), BYTES)).toThrow('SHA-256');
    expect(() => readGraph(home, '../../etc/passwd' as Digest)).toThrow('digest');
    expect(existsSync(join(home, 'graphs'))).toBe(false);
  });

  it('is whole or not there, whatever call of keeping it goes wrong', async () => {
    const { calls } = await runWithFault(null, async () => keepGraph(home, HASH, BYTES));
    for (const kind of ['error', 'full', 'death'] as const) {
      for (let at = 0; at < calls.length; at += 1) {
        const other = makeHome();
        const { error } = await runWithFault({ at, kind }, async () => keepGraph(other, HASH, BYTES));
        const path = join(other, 'graphs', `${HASH}.json`);
        if (error === undefined) expect(readFileSync(path)).toEqual(BYTES);
        else if (existsSync(path)) expect(readFileSync(path)).toEqual(BYTES);
        keepGraph(other, HASH, BYTES);
        expect(Buffer.from(readGraph(other, HASH))).toEqual(BYTES);
      }
    }
  });
});
