import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditRun, auditStore, type CheckedRule } from '../../src/auditor/index.ts';
import { CHILD, PARENT, planStore, sha256, writeIndex, writeStore } from './hand-written-store.ts';
import { VIOLATIONS, type Violation } from './violations.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'auditor-'));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

const path = (...names: string[]): string => join(home, 'runs', ...names);
const FIRST = 'log/000000000000.jsonl';
const SECOND = 'log/000000000005.jsonl';

function audit(): readonly string[] {
  return auditStore(home).map((problem) => `${problem.rule} ${problem.message}`);
}

describe('a good store', () => {
  beforeEach(() => {
    writeStore(home, planStore());
  });

  it('has no problem', () => {
    expect(audit()).toEqual([]);
    expect(auditRun(path(CHILD))).toEqual([]);
  });

  it('has no problem when there are no runs yet', () => {
    rmSync(path(), { recursive: true });
    expect(audit()).toEqual([]);
  });

  it('keeps a child whose parent was removed', () => {
    rmSync(path(PARENT), { recursive: true });
    expect(audit()).toEqual([]);
  });

  it('may end in a torn tail, which is no event', () => {
    appendFileSync(path(CHILD, SECOND), '{"seq":12,"prev');
    expect(audit()).toEqual([]);
  });

  it('may have a last segment that was sealed just before a crash', () => {
    chmodSync(path(CHILD, SECOND), 0o400);
    expect(audit()).toEqual([]);
  });

  it('may hold known events without their fields: readers skip them', () => {
    rmSync(path(), { recursive: true });
    const plan = planStore();
    plan.parent.events.push({ type: 'session.end', reason: 'completed' }, { type: 'tool.result', callId: 'x' });
    writeStore(home, plan);
    expect(audit()).toEqual([]);
  });

  it('may have indexes: right ones, foreign ones, and ones that are no JSON', () => {
    const lines = readFileSync(path(PARENT, FIRST), 'utf8').split('\n');
    const digest = sha256(lines.at(-2) ?? '');
    const bytes = readFileSync(path(PARENT, FIRST)).length;
    writeIndex(path(PARENT, FIRST), { first: 0, count: 5, bytes, digest, prev: '0'.repeat(64) }, { boundaries: [] });
    writeFileSync(path(CHILD, 'log/000000000000.idx'), '{"format":3}\n{}\n', { mode: 0o600 });
    writeFileSync(path(PARENT, 'log/000000000005.idx'), 'not JSON', { mode: 0o600 });
    expect(audit()).toEqual([]);
  });
});

const CASES = (Object.entries(VIOLATIONS) as [CheckedRule, readonly Violation[]][]).flatMap(([rule, violations]) =>
  violations.map((violation) => ({ ...violation, rule })),
);

describe('the auditor names the rule that is broken and no other', () => {
  it.each(CASES)('$rule when $name', ({ rule, plan, disk }) => {
    const store = planStore();
    plan?.(store);
    writeStore(home, store);
    disk?.(path);
    const problems = auditStore(home);
    expect([...new Set(problems.map((problem) => problem.rule))], JSON.stringify(problems, null, 1)).toEqual([rule]);
  });
});

describe('a problem', () => {
  it('says where it lies', () => {
    const plan = planStore();
    plan.parent.events.push({ type: 'session.end', reason: 'failed', checkpoint: 'none', why: 'limit' });
    writeStore(home, plan);
    const [problem] = auditStore(home);
    const text = readFileSync(path(PARENT, SECOND), 'utf8');
    const byte = text.slice(0, -1).lastIndexOf('\n') + 1;
    expect(problem).toEqual({
      rule: 'L17',
      run: PARENT,
      segment: '000000000005.jsonl',
      line: text.split('\n').length - 1,
      byte,
      message: 'session.end without a turn',
    });
  });
});

describe('the command', () => {
  const main = join(import.meta.dirname, '../../src/auditor/main.ts');

  it('prints nothing and exits 0 for a good store', () => {
    writeStore(home, planStore());
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, home], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('prints each problem on a line and exits 1', () => {
    writeStore(home, planStore());
    chmodSync(path(PARENT, 'lock'), 0o644);
    const { status, stdout } = spawnSync(process.execPath, [main, home], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: `L3 ${PARENT} lock has mode 644, not 600\n` });
  });
});
