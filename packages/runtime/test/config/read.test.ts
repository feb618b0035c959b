import { join } from 'node:path';
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
    expect(plain.mcpServers).toEqual([]);
    expect(plain.check).toBeUndefined();
    expect(readable(read(true))).toMatchObject({ rules: permissions, carry: ['deps'], ignored: [], check: 'npm test' });
  });

  it('of the person says what checks a session, until that of the project is confirmed', () => {
    writeFiles(area.folder, {
      'home/.config/ramet/ramet.json': '{"check":"make mine"}',
      'checkout/ramet.json': '{"check":"make theirs"}',
    });
    expect(readable(read()).check).toBe('make mine');
    expect(readable(read(true)).check).toBe('make theirs');
  });

  it.each([
    ['{"check":""}', /at check: expected a command/],
    ['{"check":["npm","test"]}', /at check/],
    ['{"check":"a\\u0000b"}', /at check: expected a command/],
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

  it.each([
    ['{"a b":{"command":"x"}}', /mcpServers\.a b: a server is named with a-z/],
    ['{"a__b":{"command":"x"}}', /mcpServers\.a__b: a server is named/],
    ['{"a_":{"command":"x"}}', /mcpServers\.a_: a server is named/],
    ['{"A":{"command":"x"}}', /mcpServers\.A: a server is named/],
    [`{"${'a'.repeat(33)}":{"command":"x"}}`, /a server is named/],
    ['{"a":{}}', /at mcpServers\.a: expected either command, a program, or url, an address/],
    ['{"a":{"command":"x","url":"https://x"}}', /expected either command/],
    ['{"a":{"command":""}}', /mcpServers\.a\.command/],
    ['{"a":{"command":"x","args":["a\\u0000b"]}}', /mcpServers\.a\.args\.0: expected text without a NUL/],
    ['{"a":{"comand":"x"}}', /unknown key 'comand' \(did you mean command\?\)/],
    ['{"a":{"command":"x","headers":{}}}', /mcpServers\.a\.headers: a server with a command has no headers/],
    ['{"a":{"url":"https://x","env":{}}}', /mcpServers\.a\.env: a server with a url has no env/],
    ['{"a":{"url":"https://x","type":"stdio"}}', /mcpServers\.a\.type: a server with a url is of type http/],
    ['{"a":{"url":"https://x","type":"sse"}}', /mcpServers\.a\.type/],
    ['{"a":{"url":"http://example.org"}}', /mcpServers\.a\.url: expected https:\/\/, or http:\/\/ of this machine/],
    ['{"a":{"url":"http://127.0.0.1.example.org"}}', /expected https/],
    ['{"a":{"url":"https://me:secret@example.org"}}', /name and password go into headers/],
    ['{"a":{"url":"example.org"}}', /expected an address/],
    ['{"a":{"url":"https://x","headers":{"a":"b\\r\\nc: d"}}}', /mcpServers\.a\.headers\.a: expected one line/],
    ['{"a":{"command":"x","effects":{"send":"none"}}}', /mcpServers\.a\.effects\.send/],
    ['{"a":{"command":"x","timeoutMs":0}}', /mcpServers\.a\.timeoutMs/],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`s${n}`, { command: 'x' }]))),
      /at most 16/,
    ],
  ])('that says the servers %s is a refusal', (servers, problem) => {
    writeFiles(area.folder, { 'checkout/ramet.json': `{"mcpServers":${servers}}` });
    const answer = read();
    expect(answer).toMatchObject({ code: 'bad_config' });
    expect(isRefusal(answer) && answer.message).toMatch(problem);
  });

  it('names servers, a person’s before a project’s of the same name, each with the folder it is named in', () => {
    const docs = { type: 'http', url: 'http://localhost:1/mcp', headers: { a: 'b' } };
    const mail = { command: 'mail', args: ['-x'], env: { A: '1' }, cwd: 'sub', trusted: true, timeoutMs: 5 };
    writeFiles(area.folder, {
      'checkout/ramet.json': JSON.stringify({ mcpServers: { mail: { command: 'theirs' }, docs } }),
      'home/.config/ramet/ramet.json': JSON.stringify({ mcpServers: { mail } }),
    });
    const settings = { trusted: false, effects: {}, volatile: {} };
    const own = join(area.home, '.config/ramet');
    const { type: _, ...there } = docs;
    expect(readable(read(true)).mcpServers).toEqual([
      { kind: 'stdio', name: 'mail', folder: own, ...settings, ...mail, cwd: join(own, 'sub') },
      { kind: 'http', name: 'docs', folder: join(area.folder, 'checkout'), ...settings, ...there },
    ]);
    expect(readable(read()).mcpServers).toHaveLength(1);
  });

  it('that is a folder is a refusal', () => {
    writeFiles(area.folder, { 'checkout/ramet.json/x': '' });
    expect(read()).toMatchObject({ code: 'bad_config' });
  });
});
