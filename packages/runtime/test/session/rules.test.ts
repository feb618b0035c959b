import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration, recordTrust } from '../../src/config/index.ts';
import { viewSession } from '../../src/inspect/index.ts';
import type { PermissionRule, TurnSettings } from '../../src/session/index.ts';
import { decideCall } from '../../src/session/turn/calls/permissions.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { TOOL_NAMES } from '../../src/tools/names.ts';

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

describe('rules of the command line', () => {
  let h: SessionHarness;
  beforeEach(() => {
    h = makeSessionHarness();
  });
  afterEach(() => h.remove());

  const settings = (...rules: readonly PermissionRule[]) => ({ settings: { rules } });
  const PUSH = rule('deny', 'git push*');

  it('that deny or ask hold for the later turns; those that allow for their own', async () => {
    const first = await h.turn(null, 'true', settings(PUSH, rule('ask', 'rm *'), rule('allow')));
    const later = await h.turn(first.session, 'git push origin');
    const reason = 'denied by the rule shell:git push* (--deny of an earlier turn)';
    expect(later.denied).toMatchObject([{ tool: 'shell', subject: 'git push origin', reason }]);
    expect((await h.turn(first.session, 'rm x')).denied).toHaveLength(1);
    const open = await h.turn(first.session, 'echo x', { settings: { sandbox: 'none' } });
    expect(open.denied).toHaveLength(1);
    const configs = h.eventsOfType(first.session, 'session.config').map(({ permissions }) => permissions);
    expect(configs[0]).toEqual([PUSH, rule('ask', 'rm *'), rule('allow')].map((given) => ({ ...given, from: 'flag' })));
    const kept = [PUSH, rule('ask', 'rm *')].map((given) => ({ ...given, from: 'earlier' }));
    expect(configs.slice(1)).toEqual([kept, kept, kept]);
    expect(viewSession(h.store, first.session)).toMatchObject({ rules: [PUSH, rule('ask', 'rm *')] });
  });

  it('are given again without being there twice, and beat an --allow of a later turn', async () => {
    const { session } = await h.turn(null, 'true', settings(PUSH));
    expect((await h.turn(session, 'git push', settings(PUSH, rule('allow')))).denied).toHaveLength(1);
    expect(h.eventsOfType(session, 'session.config').at(-1)?.permissions).toHaveLength(2);
  });

  it('are dropped on purpose, for the turns after it too', async () => {
    const { session } = await h.turn(null, 'true', settings(PUSH));
    const forgotten = await h.turn(session, 'git push', {
      settings: { forgetRules: true, rules: [rule('deny', 'ls')] },
    });
    expect(forgotten.denied).toEqual([]);
    expect((await h.turn(session, 'git push')).denied).toEqual([]);
    expect((await h.turn(session, 'ls')).denied).toHaveLength(1);
  });

  it('hold in forks: those of the fork point, and those the parent was given since', async () => {
    const { session } = await h.turn(null, 'true', settings(PUSH));
    await h.turn(session, 'true', settings(rule('deny', 'ls')));
    const child = await h.fork(session, 1);
    const grandchild = await h.fork(child, 1);
    for (const run of [child, grandchild]) {
      expect((await h.turn(run, 'git push')).denied).toHaveLength(1);
      expect((await h.turn(run, 'ls')).denied).toHaveLength(1);
    }
    const late = await h.fork(session, 1);
    await h.store.remove(session);
    expect((await h.turn(late, 'git push')).denied).toHaveLength(1);
    expect((await h.turn(late, 'ls')).denied).toEqual([]);
    expect(h.problems()).toEqual([]);
  });
});

describe('settings that mean nothing', () => {
  it.each<[string, Partial<TurnSettings>, RegExp]>([
    [
      'a tool in other letters',
      { rules: [rule('deny', undefined, 'Shell')] },
      /--deny Shell: there is no tool 'Shell' \(did you mean shell\?\)/,
    ],
    ['a misspelt tool', { rules: [rule('ask', '*', 'shel')] }, /--ask shel: .*did you mean shell\?/],
    [
      'a tool there is not',
      { rules: [rule('allow', undefined, 'frobnicate')] },
      /no tool 'frobnicate'; the tools are .*shell/,
    ],
    [
      'no tool of an MCP server',
      { rules: [rule('allow', undefined, 'mcp__mail')] },
      /--allow mcp__mail: a tool of an MCP server is named mcp__<server>__<tool>, all of them mcp__<server>__\*/,
    ],
    ['a part of a tool’s name', { rules: [rule('allow', undefined, 'mcp__mail__se*')] }, /is named mcp__<server>/],
    ['every MCP server', { rules: [rule('allow', undefined, 'mcp__*')] }, /is named mcp__<server>/],
    ['an address', { allowNet: ['https://registry.npmjs.org/x'] }, /not a URL: registry\.npmjs\.org$/],
    ['every host', { allowNet: ['*'] }, /every public host/],
    ['every host at a port', { allowNet: ['*:443'] }, /every public host/],
    ['no host', { allowNet: ['a b'] }, /expected a host/],
  ])('are refused before anything is made: %s', async (_, settings, message) => {
    const h = makeSessionHarness();
    const refused = await h.run(null, [{ text: 'x' }], { settings });
    expect(refused).toMatchObject({ code: 'bad_usage', message: expect.stringMatching(message) });
    expect(h.store.listRuns()).toEqual([]);
    h.remove();
  });

  it('know every tool there is by its name', () => {
    expect(builtinTools().map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  });
});

describe('a rule about a command', () => {
  it('is not escaped by white space around it', async () => {
    const h = makeSessionHarness();
    const settings = { rules: [rule('deny', 'git push*')] };
    expect((await h.turn(null, '  \n git push', { settings })).denied).toHaveLength(1);
    h.remove();
  });
});
