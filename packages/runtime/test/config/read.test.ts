import { isRefusal } from '@ramet/core';
import { makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Configuration, readConfiguration } from '../../src/config/index.ts';
import { DEFAULT_CARRY } from '../../src/workspace/checkout/index.ts';

let area: ScratchArea;
beforeEach(() => {
  area = makeScratchArea();
});
afterEach(() => area.remove());

function read(trustProject = false, env: Record<string, string> = { HOME: area.home }) {
  const checkout = `${area.folder}/checkout`;
  return readConfiguration({ env, home: `${area.folder}/state`, checkout, trustProject });
}

function readable(configuration: ReturnType<typeof read>): Configuration {
  if (isRefusal(configuration)) throw new Error(configuration.message);
  return configuration;
}

describe('ramet.json', () => {
  it('need not be there', () => {
    expect(read()).toMatchObject({ rules: [], carry: DEFAULT_CARRY, captureIgnored: true, trusted: true, ignored: [] });
  });

  it('of the person lies where XDG says, else in ~/.config', () => {
    writeFiles(area.folder, {
      'home/.config/ramet/ramet.json': '{"model":"a/b"}',
      'xdg/ramet/ramet.json': '{"model":"c/d"}',
    });
    expect(readable(read()).model).toBe('a/b');
    expect(readable(read(false, { HOME: area.home, XDG_CONFIG_HOME: `${area.folder}/xdg` })).model).toBe('c/d');
    expect(readable(read(false, { HOME: area.home, XDG_CONFIG_HOME: 'relative' })).model).toBe('a/b');
  });

  it('of a project names what is not used until it is confirmed', () => {
    const permissions = [
      { tool: 'shell', do: 'allow' },
      { tool: 'shell', match: 'rm *', do: 'deny' },
    ];
    const file = { permissions, workspace: { carry: ['deps'] }, check: 'npm test', mcpServers: {} };
    writeFiles(area.folder, { 'checkout/ramet.json': JSON.stringify(file) });
    const plain = readable(read());
    expect(plain.rules).toEqual([{ ...permissions[1], from: 'project' }]);
    expect(plain.carry).toEqual(DEFAULT_CARRY);
    expect(plain.ignored).toEqual(['allow rules', 'workspace.carry', 'mcpServers', 'check']);
    expect(readable(read(true))).toMatchObject({ rules: permissions, carry: ['deps'], ignored: [] });
  });

  it.each([
    ['{', /ramet\.json is not JSON \(line 1, column 2\); mend it or remove it/],
    ['{\n  "a": 1,\n  b\n}', /is not JSON \(line 3, column 3\)/],
    ['', /is not JSON \(Unexpected end of JSON input\)/],
    ['{"model":\n,}', /is not JSON \(Unexpected token ','.*\); mend it/],
    ['[]', /expected/i],
    ['{"permissions":[{"tool":"shell","do":"maybe"}]}', /permissions\.0\.do/],
    ['{"permissions":[{"tool":"shell","do":"deny","mach":"x"}]}', /permissions\.0/],
    [
      '{"permissions":[{"tool":"shel","do":"deny"}]}',
      /permissions\.0\.tool: there is no tool 'shel' \(did you mean shell\?\)/,
    ],
    ['{"permissons":[]}', /unknown key 'permissons' \(did you mean permissions\?\)/],
    ['{"modle":"a/b"}', /unknown key 'modle' \(did you mean model\?\)/],
    ['{"workspace":{"cary":[]}}', /at workspace: unknown key 'cary' \(did you mean carry\?\)/],
    [
      '{"permissions":[{"tool":"shell","glob":"x","do":"deny"}]}',
      /at permissions\.0: unknown key 'glob'; the keys are tool, match, do/,
    ],
    ['{"constructor":1}', /unknown key 'constructor'; the keys are/],
    ['{"workspace":{"carry":["../up"]}}', /workspace\.carry\.0/],
    ['{"workspace":{"carry":[".git"]}}', /workspace\.carry\.0/],
  ])('that says %s is a refusal, not a guess', (text, problem) => {
    writeFiles(area.folder, { 'checkout/ramet.json': text });
    const answer = read();
    expect(answer).toMatchObject({ code: 'bad_config' });
    expect(isRefusal(answer) && answer.message).toMatch(problem);
  });

  it('that is a folder is a refusal', () => {
    writeFiles(area.folder, { 'checkout/ramet.json/x': '' });
    expect(read()).toMatchObject({ code: 'bad_config' });
  });
});
