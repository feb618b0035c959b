import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderOutput, shrinkOutput, splitCollected } from '../../src/tools/text.ts';
import { skipWithoutSandbox } from '../sandbox/helpers.ts';
import { type Bench, errorOf, makeBench, textOf, tool } from './helpers.ts';

let bench: Bench;
afterEach(() => bench?.remove());

const shell = (command: string, more: object = {}, context: object = {}) =>
  tool('shell').run({ command, ...more }, { ...bench.context, ...context });

async function jsonOf(answer: ReturnType<typeof shell>): Promise<Record<string, unknown>> {
  const { output } = await answer;
  return output.type === 'json'
    ? (output.value as Record<string, unknown>)
    : expect.unreachable(JSON.stringify(output));
}

describe('shell', () => {
  beforeEach(async (ctx) => {
    await skipWithoutSandbox(ctx as never);
    bench = await makeBench({}, 'bubblewrap');
  });

  test('answers exit code and output, and nothing more when there is nothing more to say', async () => {
    expect(await jsonOf(shell('echo out; echo err >&2; exit 3'))).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timedOut: false,
    });
  });

  test("runs in the session's cwd, in a fresh shell, without input", async () => {
    mkdirSync(join(bench.workspace, 'sub'));
    expect((await jsonOf(shell('pwd; X=1; cat', {}, { cwd: 'sub' }))).stdout).toBe('/work/sub\n');
    expect((await jsonOf(shell('echo "[$X]"'))).stdout).toBe('[]\n');
  });

  test('keeps head and tail of long output, says what is missing, and splits no character', async () => {
    const value = await jsonOf(shell('printf "a😀😀😀%.0s" $(seq 1000); printf end', {}, { outputLimitBytes: 100 }));
    const stdout = String(value.stdout);
    expect(stdout).toMatch(/^a😀.*\n\[\.\.\. 129\d\d bytes left out \.\.\.\]\n.*end$/su);
    expect([stdout.isWellFormed(), stdout.includes('\ufffd'), value.truncated, value.stdoutEncoding]).toEqual([
      true,
      false,
      true,
      undefined,
    ]);
  });

  test('shares the limit between both outputs', async () => {
    const value = await jsonOf(
      shell(
        'head -c 5000 /dev/zero | tr "\\0" o; head -c 5000 /dev/zero | tr "\\0" e >&2',
        {},
        { outputLimitBytes: 1000 },
      ),
    );
    expect(String(value.stdout).match(/o/g)?.length).toBeLessThan(520);
    expect(String(value.stderr).match(/e/g)?.length).toBeLessThan(520);
    const one = await jsonOf(shell('head -c 5000 /dev/zero | tr "\\0" O', {}, { outputLimitBytes: 1000 }));
    expect(String(one.stdout).match(/O/g)?.length).toBe(1000);
  });

  test('marks output that is not UTF-8, and keeps what is', async () => {
    const value = await jsonOf(shell(`printf '\\377\\376bad\\n'; printf 'good é' >&2`));
    expect(value).toMatchObject({ stdout: '\ufffd\ufffdbad\n', stdoutEncoding: 'replaced', stderr: 'good é' });
    expect(value.stderrEncoding).toBeUndefined();
  });

  test('puts a character together whose bytes arrive apart, live too', async () => {
    const live: string[] = [];
    const value = await jsonOf(
      shell(`printf '\\303'; sleep 0.1; printf '\\251'`, {}, { onOutput: (text: string) => live.push(text) }),
    );
    expect([value.stdout, live.join('')]).toEqual(['é', 'é']);
  });

  test('ends at its timeout with what was printed', async () => {
    expect(await jsonOf(shell('echo before; sleep 66', { timeoutMs: 400 }))).toMatchObject({
      exitCode: null,
      stdout: 'before\n',
      timedOut: true,
    });
  });

  test('ends when the person interrupts, with what was printed', async () => {
    const controller = new AbortController();
    const answer = await shell(
      'echo before; sleep 66',
      {},
      { signal: controller.signal, onOutput: () => controller.abort() },
    );
    expect(answer).toMatchObject({
      aborted: true,
      output: { type: 'json', value: { stdout: 'before\n', interrupted: true, timedOut: false } },
    });
  });

  test('answers what cannot be started', async () => {
    expect(errorOf(await shell('x'.repeat(200_000)))).toContain('too long');
    expect(errorOf(await shell('echo \0'))).toContain('NUL');
    expect(errorOf(await shell('true', {}, { cwd: 'gone' }))).toContain('/work/gone');
  });

  test('says which hosts were refused', async () => {
    const script = `perl -MIO::Socket::INET -e 'my ($a) = $ENV{HTTP_PROXY} =~ m{//(.*)}; my $s = IO::Socket::INET->new($a); print $s "CONNECT no.example:443 HTTP/1.1\\r\\n\\r\\n"; print <$s>'`;
    const answer = await shell(script, {}, { allowNet: ['example.org'] });
    expect(answer.egress).toEqual([]);
    expect(answer.output).toMatchObject({ value: { refusedHosts: ['no.example:443'] } });
  });

  test('is contained while its sandbox is closed, else as far as nothing was reached, else not', async () => {
    const { contained } = tool('shell');
    expect(contained(bench.context)).toBe(true);
    expect(contained({ ...bench.context, allowNet: ['example.org'] })).toBe('unless_egress');
    expect(contained({ sandbox: { ...bench.context.sandbox, kind: 'none' }, allowNet: [] })).toBe(false);
    expect(tool('shell').recover).toBeUndefined();
  });
});

describe('search', () => {
  beforeEach(async (ctx) => {
    await skipWithoutSandbox(ctx as never);
    bench = await makeBench({}, 'bubblewrap');
    bench.put('src/a.ts', 'one\nneedle 1\n');
    bench.put('src/b.md', 'needle 2\n');
    bench.put('.git/x', 'needle 3\n');
  });
  const search = (input: object, context: object = {}) => tool('search').run(input, { ...bench.context, ...context });

  test('finds lines, with path and number, from the cwd', async () => {
    expect(textOf(await search({ pattern: 'needle \\d' }))).toBe('./src/a.ts:2:needle 1\n./src/b.md:1:needle 2\n');
    expect(textOf(await search({ pattern: 'needle', path: '/work/src' }, { cwd: 'src' }))).toBe(
      './a.ts:2:needle 1\n./b.md:1:needle 2\n',
    );
  });

  test('narrows by glob and by path', async () => {
    expect(textOf(await search({ pattern: 'needle', glob: '*.md' }))).toBe('./src/b.md:1:needle 2\n');
    expect(textOf(await search({ pattern: 'needle', path: 'src/a.ts' }))).toBe('src/a.ts:2:needle 1\n');
  });

  test('takes a pattern that looks like an option for a pattern', async () => {
    bench.put('opt', '--files -e\n');
    expect(textOf(await search({ pattern: '--files', glob: 'opt' }))).toContain('--files -e');
    expect(textOf(await search({ pattern: 'no such thing' }))).toBe('[no line matches]');
    expect(errorOf(await search({ pattern: '(' }))).toContain('The search failed');
  });

  test('does not follow links, and refuses a path that leads out', async () => {
    symlinkSync(bench.other, join(bench.workspace, 'out'));
    expect(textOf(await search({ pattern: 'secret' }))).toBe('[no line matches]');
    expect(errorOf(await search({ pattern: 'secret', path: 'out' }))).toContain('belongs to another session');
  });

  test('is bounded, and says so', async () => {
    bench.put('many', 'needle\n'.repeat(10_000));
    const text = textOf(await search({ pattern: 'needle' }, { outputLimitBytes: 200 }));
    expect(text).toMatch(/\[there is more/);
    expect(text.length).toBeLessThan(300);
  });

  test('uses grep where there is no ripgrep', async () => {
    const { sandbox } = bench.context;
    const withoutRipgrep = {
      ...sandbox,
      run: (command: Parameters<typeof sandbox.run>[0]) =>
        sandbox.run({
          ...command,
          argv: command.argv.map((arg) => arg.replace('command -v rg', 'command -v no-rg')) as [string],
        }),
    };
    expect(textOf(await search({ pattern: 'needle [12]', glob: '*.ts' }, { sandbox: withoutRipgrep }))).toBe(
      './src/a.ts:2:needle 1\n',
    );
    expect(textOf(await search({ pattern: 'needle' }, { sandbox: withoutRipgrep }))).not.toContain('.git');
  });
});

describe('without a sandbox', () => {
  test('shell works in the real folder and search finds', async () => {
    bench = await makeBench({}, 'none');
    bench.put('a', 'needle\n');
    expect((await jsonOf(shell('pwd -P; echo made > made'))).stdout).toBe(`${bench.workspace}\n`);
    expect(readFileSync(join(bench.workspace, 'made'), 'utf8')).toBe('made\n');
    expect(textOf(await tool('search').run({ pattern: 'needle' }, bench.context))).toContain('a:1:needle');
    expect(textOf(await tool('read_file').run({ path: join(bench.workspace, 'a') }, bench.context))).toBe('needle\n');
  });
});

describe('cut output', () => {
  test('every cut of a text of all widths is well-formed and counts its bytes', () => {
    const bytes = Buffer.from('aé€😀'.repeat(5));
    for (let head = 0; head <= 12; head += 1) {
      for (let limit = head; limit <= head + 12; limit += 1) {
        const kept = Buffer.concat([
          bytes.subarray(0, head),
          limit === head ? Buffer.alloc(0) : bytes.subarray(head - limit),
        ]);
        const { text, replaced, dropped } = renderOutput(splitCollected(kept, bytes.length - limit, head));
        expect([text.isWellFormed(), text.includes('\ufffd'), replaced]).toEqual([true, false, false]);
        const shown = text.replace(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/, '');
        expect(Buffer.byteLength(shown) + dropped).toBe(bytes.length);
      }
    }
  });

  test('shrinking keeps both ends, drops nothing when it fits, and counts', () => {
    const output = { head: Buffer.from('abcdef'), tail: Buffer.from('uvwxyz'), dropped: 100 };
    expect(shrinkOutput(output, 12)).toBe(output);
    const { head, tail, dropped } = shrinkOutput(output, 5);
    expect([Buffer.from(head).toString(), Buffer.from(tail).toString(), dropped]).toEqual(['abc', 'yz', 107]);
  });
});
