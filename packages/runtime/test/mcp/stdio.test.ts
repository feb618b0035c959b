import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratchArea, type ScratchArea } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailServer, openTools, PATIENCE, readLines, SERVERS, variable } from './helpers.ts';

let area: ScratchArea;
let outbox: string;
beforeEach(() => {
  area = makeScratchArea();
  outbox = join(area.folder, 'outbox');
});
afterEach(() => area.remove());

describe('a server that is a program', () => {
  it('offers its tools under its name, all of them writes that leave the workspace', async () => {
    const mail = await openTools(mailServer(outbox));
    const send = mail.tools.find(({ name }) => name === 'mcp__mail__send');
    expect(send).toMatchObject({ description: 'Send a letter', inputSchema: { properties: { to: {} } } });
    expect(mail.tools.map(({ effect }) => effect)).toEqual(mail.tools.map(() => 'write'));
    expect(mail.tools.map((tool) => tool.contained({ sandbox: {} as never, allowNet: [] }))).not.toContain(true);
    expect(mail.notices).toEqual([]);
    await mail.close();
  });

  it('answers structured content as such, once', async () => {
    const mail = await openTools(mailServer(outbox));
    expect(await mail.call('send', { to: 'ada' })).toEqual({ output: { type: 'json', value: { receipt: 'r-ada' } } });
    expect(readLines(outbox)).toEqual([{ to: 'ada' }]);
    await mail.close();
  });

  it('answers its own errors as errors, and names what cannot be shown', async () => {
    const mail = await openTools(mailServer(outbox));
    expect(await mail.call('fail')).toEqual({ output: { type: 'error-text', value: 'no such box' } });
    expect((await mail.call('throw')).output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('bug'),
    });
    expect((await mail.call('send', {})).output.type).toBe('error-text');
    expect((await mail.call('send', 'ada')).output.type).toBe('error-text');
    expect((await mail.call('picture')).output).toEqual({
      type: 'text',
      value:
        'see\n[image (image/png, 6 bytes) left out: it cannot be shown]\n[resource file:///a]\nwords\n[resource b: file:///b]',
    });
    expect(readLines(outbox)).toEqual([]);
    await mail.close();
  });

  it('shows its progress to a person', async () => {
    const mail = await openTools(mailServer(outbox));
    const seen: string[] = [];
    await mail.call('progress', {}, { onOutput: (text) => seen.push(text) });
    expect(seen).toEqual(['half way\n']);
    await mail.close();
  });

  it('has the effects its operator says, and its hints only where the operator trusts it', async () => {
    const effects = { send: 'idempotent', put: 'write', gone: 'read', lok: 'read' } as const;
    const untrusted = await openTools(mailServer(outbox, { effects }));
    const trusted = await openTools(mailServer(outbox, { effects, trusted: true, volatile: { send: ['stamp'] } }));
    const effectsOf = (tools: typeof trusted) =>
      Object.fromEntries(tools.tools.map(({ name, effect }) => [name.slice('mcp__mail__'.length), effect]));
    expect(effectsOf(untrusted)).toMatchObject({ send: 'idempotent', put: 'write', look: 'write', fail: 'write' });
    expect(effectsOf(trusted)).toMatchObject({ send: 'idempotent', put: 'write', look: 'read', fail: 'write' });
    expect(trusted.tools.find(({ name }) => name === 'mcp__mail__send')?.volatile).toEqual(['stamp']);
    expect(trusted.notices).toEqual([
      'MCP server mail: effects names a tool it does not have: gone',
      'MCP server mail: effects names a tool it does not have: lok (did you mean look?)',
    ]);
    await Promise.all([untrusted.close(), trusted.close()]);
  });

  it('gets the key of a call that is idempotent, and of no other', async () => {
    const key = 'k'.repeat(64);
    const trusted = await openTools(mailServer(outbox, { trusted: true }));
    await trusted.call('put', { to: 'ada' }, { key });
    await trusted.close();
    const untrusted = await openTools(mailServer(outbox));
    await untrusted.call('put', { to: 'bob' }, { key });
    await untrusted.close();
    const [first, second] = readLines(outbox) as { meta: Record<string, unknown> | null }[];
    expect(first?.meta).toMatchObject({ 'ramet/idempotency-key': key });
    expect(JSON.stringify(second)).not.toContain(key);
  });
});

describe('a call without an answer', () => {
  it('is unknown when the program dies in the middle, and the next one says that it was not sent', async () => {
    const mail = await openTools(mailServer(outbox));
    const died = await mail.call('die', { to: 'ada' });
    const words = expect.stringMatching(/may have done it.*ended before the answer.*out of stamps/);
    expect(died).toMatchObject({ unknown: true, output: { type: 'error-text', value: words } });
    const next = await mail.call('send', { to: 'bob' });
    expect(next.unknown).toBeUndefined();
    expect(next.output).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/not called.*out of stamps/),
    });
    expect(readLines(outbox)).toEqual([{ to: 'ada' }]);
    await mail.close();
  });

  it('is unknown when the time is up, and the server is told to stop', async () => {
    const mail = await openTools(mailServer(outbox, { timeoutMs: 200 }));
    expect(await mail.call('hang', { to: 'ada' })).toMatchObject({ unknown: true });
    await expect.poll(() => readLines(outbox), PATIENCE).toEqual([{ to: 'ada' }, { cancelled: true }]);
    await mail.close();
  });

  it('is an error when the call could change nothing', async () => {
    const mail = await openTools(mailServer(outbox, { timeoutMs: 200, effects: { hang: 'read' } }));
    const answer = await mail.call('hang', { to: 'ada' });
    expect(answer.unknown).toBeUndefined();
    expect(answer.output.type).toBe('error-text');
    await mail.close();
  });

  it('is asked for once more with the same key when the receiver honours it', async () => {
    const mail = await openTools(mailServer(outbox, { timeoutMs: 200, effects: { hang: 'idempotent' } }));
    expect(await mail.call('hang', { to: 'ada' }, { key: 'k' })).toMatchObject({ unknown: true });
    const letters = () => readLines(outbox).filter((line) => JSON.stringify(line).includes('ada'));
    await expect.poll(letters, PATIENCE).toHaveLength(2);
    await mail.close();
  });

  it('is interrupted and unknown when the person stops it', async () => {
    const mail = await openTools(mailServer(outbox));
    const interrupt = new AbortController();
    const pending = mail.call('hang', { to: 'ada' }, { signal: interrupt.signal });
    await expect.poll(() => readLines(outbox), PATIENCE).toHaveLength(1);
    interrupt.abort();
    expect(await pending).toMatchObject({ unknown: true, aborted: true });
    const late = await mail.call('send', { to: 'bob' }, { signal: interrupt.signal });
    expect(late).toMatchObject({ aborted: true });
    expect(late.unknown).toBeUndefined();
    await mail.close();
  });
});

describe('the program of a server', () => {
  it('gets the person’s environment without Ramet’s variables and model keys, and what its env names', async () => {
    const env = {
      PATH: `node_modules/.bin:${process.env.PATH}`,
      HOME: area.home,
      RAMET_HOME: '/x',
      OPENAI_API_KEY: 'sk-1',
      GEMINI_API_KEY: 'g-1',
      MAIL_TOKEN: 't-1',
    };
    const config = mailServer(outbox, {
      env: { TOKEN: `Bearer ${variable('MAIL_TOKEN')}`, OPENAI_API_KEY: variable('OPENAI_API_KEY') },
    });
    const mail = await openTools(config, { env });
    const { output } = await mail.call('env');
    const seen = (output as { value: { env: Record<string, string>; cwd: string } }).value;
    expect(seen.env).toMatchObject({ HOME: area.home, TOKEN: 'Bearer t-1', OPENAI_API_KEY: 'sk-1' });
    expect(seen.env).not.toHaveProperty('RAMET_HOME');
    expect(seen.env).not.toHaveProperty('GEMINI_API_KEY');
    expect(seen.env.PATH).toBe(
      process.env.PATH?.split(':')
        .filter((entry) => entry.startsWith('/'))
        .join(':'),
    );
    expect(seen.cwd).toBe(SERVERS);
    await mail.close();
  });

  it('is not started where a variable is not set, or there is no such program or folder', async () => {
    const refused: [Parameters<typeof mailServer>[1], RegExp][] = [
      [{ env: { TOKEN: variable('NOT_SET') } }, /its env names \$\{NOT_SET\}, which is not set/],
      [{ command: 'no-such-program' }, /there is no program "no-such-program"/],
      [{ command: './no-such-program' }, /there is no program/],
      [{ cwd: join(area.folder, 'gone') }, /does not exist/],
    ];
    for (const [more, problem] of refused) {
      const mail = await openTools(mailServer(outbox, more));
      expect(mail.tools).toEqual([]);
      expect(mail.notices).toEqual([expect.stringMatching(problem)]);
    }
  });

  it('is not started from a folder the agent can write, by any way into it', async () => {
    const work = join(area.folder, 'work');
    mkdirSync(join(work, 'bin'), { recursive: true });
    const program = join(work, 'bin/server');
    writeFileSync(program, `#!/bin/sh\ntouch ${join(area.folder, 'ran')}\n`, { mode: 0o755 });
    symlinkSync(work, join(area.folder, 'link'));
    const ways: Parameters<typeof mailServer>[1][] = [
      { command: program },
      { command: './server', cwd: join(work, 'bin') },
      { command: join(area.folder, 'link/bin/server') },
      { args: [program] },
      { args: ['link/bin/server'], folder: area.folder },
      { cwd: join(area.folder, 'link') },
    ];
    for (const way of ways) {
      const mail = await openTools(mailServer(outbox, way), { writable: [work] });
      expect(mail.tools).toEqual([]);
      expect(mail.notices).toEqual([expect.stringContaining('the agent can write')]);
    }
    const env = { ...process.env, PATH: `${join(work, 'bin')}:${process.env.PATH}` };
    const mail = await openTools(mailServer(outbox, { command: 'server' }), { writable: [work], env });
    expect(mail.notices).toEqual([expect.stringContaining('there is no program')]);
    expect(existsSync(join(area.folder, 'ran'))).toBe(false);
  });

  it('ends with the turn', async () => {
    const mail = await openTools(mailServer(outbox));
    const { output } = await mail.call('env');
    const { pid } = (output as { value: { pid: number } }).value;
    expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).not.toBe('');
    await mail.close();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});
