import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratchArea, type ScratchArea } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostileServer, mailServer, openTools, PATIENCE, SERVERS } from './helpers.ts';

let area: ScratchArea;
let file: string;
beforeEach(() => {
  area = makeScratchArea();
  file = join(area.folder, 'file');
});
afterEach(() => area.remove());

describe('a server that cannot be started', () => {
  it('is told with what it said last, escaped, and has no tools', async () => {
    const broken = await openTools(hostileServer('broken'));
    expect(broken.tools).toEqual([]);
    expect(broken.notices).toEqual([
      'MCP server broken: not available: the connection ended before the answer; it said: \\x1b[31mcannot read the settings',
    ]);
    await broken.close();
  });

  it('is given up when it never answers', async () => {
    const silent = await openTools(hostileServer('silent'), { connectTimeoutMs: 300 });
    expect(silent.tools).toEqual([]);
    expect(silent.notices).toEqual([expect.stringContaining('did not answer within 0.3 s')]);
  });

  it('does not keep the others from being there', async () => {
    const servers = [hostileServer('broken'), mailServer(file)];
    const opened = await openTools(mailServer(file), { servers });
    expect(opened.tools.map(({ name }) => name)).toContain('mcp__mail__send');
    expect(opened.notices).toHaveLength(1);
    await opened.close();
  });

  it('is not waited for when the person stops the turn', async () => {
    const opened = await openTools(hostileServer('silent'), { signal: AbortSignal.timeout(300) });
    expect(opened).toMatchObject({ tools: [], notices: [] });
  });
});

describe('what a hostile server lists', () => {
  it('is at most 256 tools, and said', async () => {
    const many = await openTools(hostileServer('many'));
    expect(many.tools).toHaveLength(256);
    expect(many.notices).toEqual(['MCP server many: lists more than 256 tools: 744 tools left out']);
    await many.close();
  });

  it('comes to an end though its pages do not', async () => {
    const endless = await openTools(hostileServer('endless'));
    expect(endless.tools.length).toBeGreaterThan(1);
    expect(endless.tools.length).toBeLessThanOrEqual(256);
    await endless.close();
  });

  it('gets names every provider takes, no two alike, and schemas within limits', async () => {
    const { tools, notices, close } = await openTools(hostileServer('names'));
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^mcp__names__[a-zA-Z0-9_-]+$/);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(64);
    expect(names).toEqual(expect.arrayContaining(['mcp__names__dup', 'mcp__names__constructor']));
    expect(tools).toHaveLength(8);
    expect(tools.find(({ name }) => name === 'mcp__names__dup')?.description).toBe('dup');
    const wordy = tools.find(({ name }) => name === 'mcp__names__wordy')?.description ?? '';
    expect(wordy.length).toBeLessThan(9_000);
    expect(wordy.isWellFormed()).toBe(true);
    expect(notices).toEqual([
      'MCP server names: left out because their input schemas are too large: \\x1b[31mwide',
      'MCP server names: 3 entries of its list left out: no tools, or nested too deeply',
    ]);
    await close();
  });
});

describe('what a hostile server says', () => {
  it('on its output that is no message is passed over', async () => {
    const garbage = await openTools(hostileServer('garbage'));
    expect(await garbage.call('go')).toEqual({ output: { type: 'text', value: 'done' } });
    expect(garbage.notices).toEqual([]);
    await garbage.close();
  });

  it('unasked changes nothing', async () => {
    const server = await openTools(hostileServer('out-of-turn'));
    expect(await server.call('go')).toEqual({ output: { type: 'text', value: 'well' } });
    await server.close();
  });

  it('at length is cut in the middle', async () => {
    const mail = await openTools(mailServer(file));
    const { output } = await mail.call('big', {}, { outputLimitBytes: 1_000 });
    expect(output).toMatchObject({
      type: 'text',
      value: expect.stringMatching(/^startx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+end$/),
    });
    expect(Buffer.byteLength((output as { value: string }).value)).toBeLessThan(1_100);
    await mail.close();
  });

  it('in half characters is made well-formed, and too deep is left out', async () => {
    const surrogates = await openTools(hostileServer('surrogates'));
    expect(await surrogates.call('go')).toEqual({ output: { type: 'text', value: 'half \ufffd of one' } });
    await surrogates.close();
    const deep = await openTools(hostileServer('deep'));
    expect(await deep.call('go')).toEqual({
      output: { type: 'text', value: '[structured content deeper than 100 levels is left out]' },
    });
    await deep.close();
  });

  it.each(['malformed', 'endless-line'])('as %s leaves the outcome of its call unknown', async (kind) => {
    const server = await openTools(hostileServer(kind, file));
    expect(await server.call('go')).toMatchObject({ unknown: true, output: { type: 'error-text' } });
    expect(readFileSync(file, 'utf8')).toBe('called\n');
    await server.close();
  });
});

describe('a program that does not want to end', () => {
  const isAlive = (pid: number): boolean =>
    existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const pids = () => JSON.parse(readFileSync(file, 'utf8')) as number[];

  it('is ended with all it started', async () => {
    const stubborn = await openTools(hostileServer('stubborn', file));
    expect(pids().map(isAlive)).toEqual([true, true]);
    await stubborn.close();
    expect(pids().map(isAlive)).toEqual([false, false]);
  });

  it('is ended with all it started when Ramet is killed', async () => {
    const args = [join(SERVERS, 'owner.ts'), join(SERVERS, 'hostile.ts'), 'stubborn', file];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => owner.stdout.once('data', resolve));
    expect(pids().map(isAlive)).toEqual([true, true]);
    owner.kill('SIGKILL');
    await expect.poll(() => pids().map(isAlive), PATIENCE).toEqual([false, false]);
  });
});
