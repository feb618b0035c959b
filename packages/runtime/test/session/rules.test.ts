import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSessionHarness } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { readConfiguration, recordTrust } from '../../src/config/index.ts';
import type { PermissionRule } from '../../src/session/index.ts';
import { decideCall } from '../../src/session/turn/calls/permissions.ts';

const rule = (verdict: PermissionRule['do'], match?: string, tool = 'shell'): PermissionRule => ({
  tool,
  do: verdict,
  ...(match === undefined ? {} : { match }),
});

function decide(
  rules: readonly PermissionRule[],
  subject = 'git push',
  contained: boolean | 'unless_egress' = true,
): string {
  return decideCall({ tool: 'shell', subject, contained }, rules).kind;
}

describe('permission rules', () => {
  it('let deny beat ask beat allow, in any order', () => {
    expect(decide([rule('allow'), rule('deny'), rule('ask')])).toBe('deny');
    expect(decide([rule('ask'), rule('allow')])).toBe('ask');
    expect(decide([rule('allow')], 'x', false)).toBe('allow');
  });

  it('without a match allow what is contained and ask about the rest', () => {
    expect(decide([])).toBe('allow');
    expect(decide([], 'x', false)).toBe('ask');
    expect(decide([], 'x', 'unless_egress')).toBe('ask');
  });

  it.each([
    ['git push', 'git push', true],
    ['git push', 'git push --force', false],
    ['git *', 'git push\n--force', true],
    ['*', '', true],
    ['*push*', 'git push --force', true],
    ['a*b*a', 'aba', true],
    ['a*a', 'a', false],
    ['*ab*ab*', 'ab', false],
    ['[a]', 'a', false],
    ['git?', 'git?', true],
    ['git?', 'gita', false],
  ])('match %j against %j: %s', (match, subject, expected) => {
    expect(decide([rule('deny', match)], subject) === 'deny').toBe(expected);
  });

  it('apply to their tool, or to all', () => {
    expect(decide([rule('deny', undefined, 'write_file')])).toBe('allow');
    expect(decide([rule('deny', undefined, '*')])).toBe('deny');
  });
});

describe('the rules of a turn', () => {
  it('come from the person, the project and the command line; an unconfirmed project can only tighten', async () => {
    const h = makeSessionHarness();
    const write = (folder: string, permissions: readonly PermissionRule[]) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'ramet.json'), JSON.stringify({ permissions }));
    };
    write(join(h.area.folder, 'config', 'ramet'), [rule('ask', 'echo person*')]);
    write(h.repository, [rule('allow', 'echo *'), rule('deny', 'echo project*')]);
    const denied = async (command: string, trustProject = false) =>
      (await h.turn(null, command, { settings: { trustProject, rules: [rule('deny', 'echo line*')] } })).denied.length;
    expect(await denied('echo person')).toBe(1);
    expect(await denied('echo project')).toBe(1);
    expect(await denied('echo line')).toBe(1);
    expect(await denied('echo free')).toBe(0);
    const open = { sandbox: 'none' as const };
    expect((await h.turn(null, 'echo free', { settings: open })).denied).toHaveLength(1);
    expect((await h.turn(null, 'echo free', { settings: { ...open, trustProject: true } })).denied).toEqual([]);
    expect((await h.turn(null, 'echo person', { settings: { ...open, trustProject: true } })).denied).toHaveLength(1);
    const read = readConfiguration({ env: h.services.env, home: h.home, checkout: h.repository, trustProject: false });
    if (!('project' in read) || read.project === undefined) throw new Error('no project');
    recordTrust(h.home, read.project.digest, read.project.path);
    expect((await h.turn(null, 'echo free', { settings: open })).denied).toEqual([]);
    writeFileSync(join(h.repository, 'ramet.json'), `${JSON.stringify({ permissions: [rule('allow')] })}\n`);
    expect((await h.turn(null, 'echo free', { settings: open })).denied).toHaveLength(1);
    h.remove();
  });
});
