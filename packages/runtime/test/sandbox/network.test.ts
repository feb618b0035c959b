import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isAddressAllowed, isAllowed, parseDestination, parseHostRule } from '../../src/sandbox/host-rules.ts';
import { leftoversOf, makeWorld, openConfined, runIn, skipWithoutSandbox, type World } from './helpers.ts';

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.remove());

let web: Server;
let echo: TcpServer;
const requests: IncomingMessage[] = [];
beforeAll(async () => {
  web = createServer((request, response) => {
    requests.push(request);
    response.end(`hello from ${request.url}`);
  });
  echo = createTcpServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  await Promise.all(
    [web, echo].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
  );
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
  echo.close();
});
const portOf = (server: Server | TcpServer) => (server.address() as { port: number }).port;

/** A request through the proxy, by Perl's sockets: it is on every Debian. Answers all the proxy says. */
function ask(lines: string): string {
  return `perl -MIO::Socket::INET -e '
    my ($a) = $ENV{HTTP_PROXY} =~ m{//(.*)}; my $s = IO::Socket::INET->new($a) or die "no proxy"; $s->autoflush(1);
    print $s "${lines}"; local $/; print <$s>'`;
}
const get = (url: string) => ask(`GET ${url} HTTP/1.1\\r\\nHost: elsewhere.example\\r\\nConnection: close\\r\\n\\r\\n`);

describe('a command with --allow-net', () => {
  beforeEach(async (ctx) => skipWithoutSandbox(ctx as never));

  test('reaches a listed host over plain HTTP, and that is recorded', async () => {
    const host = `127.0.0.1:${portOf(web)}`;
    const outcome = await runIn(await openConfined(world.view), get(`http://${host}/a?b=c`), { allowNet: [host] });
    expect(outcome.out).toContain('hello from /a?b=c');
    expect(outcome).toMatchObject({ egress: [host], refusedEgress: [] });
    expect(requests.at(-1)?.headers.host).toBe(host);
  });

  test('reaches a listed host through CONNECT, bytes sent early included', async () => {
    const host = `127.0.0.1:${portOf(echo)}`;
    const script = `perl -MIO::Socket::INET -e '
      my ($a) = $ENV{HTTPS_PROXY} =~ m{//(.*)}; my $s = IO::Socket::INET->new($a); $s->autoflush(1);
      print $s "CONNECT ${host} HTTP/1.1\\r\\n\\r\\nearly"; shutdown($s, 1); local $/; print <$s>'`;
    const outcome = await runIn(await openConfined(world.view), script, { allowNet: [host] });
    expect(outcome.out).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nearly$/s);
    expect(outcome.egress).toEqual([host]);
  });

  test('is told what it may not reach, and that is recorded as refused', async () => {
    const script = `${get('http://unlisted.example/')}; ${ask(`CONNECT 127.0.0.1:${portOf(echo)} HTTP/1.1\\r\\n\\r\\n`)}`;
    const outcome = await runIn(await openConfined(world.view), script, { allowNet: ['listed.example'] });
    expect(outcome.out).toContain('403');
    expect(outcome.out).toContain('does not let this command reach unlisted.example:80');
    expect(outcome).toMatchObject({ egress: [], refusedEgress: ['unlisted.example:80', `127.0.0.1:${portOf(echo)}`] });
  });

  test('tells its caller each refusal once, with the reason', async () => {
    const told: string[] = [];
    const script = `${get('http://unlisted.example/')}; ${get('http://unlisted.example/')}`;
    const outcome = await (await openConfined(world.view)).run({
      argv: ['sh', '-c', script],
      cwd: '',
      stdout: { kind: 'collect', limitBytes: 1000 },
      stderrLimitBytes: 1000,
      allowNet: ['listed.example'],
      onRefusedEgress: (sentence) => told.push(sentence),
    });
    expect(outcome.refusedEgress).toEqual(['unlisted.example:80']);
    expect(told).toEqual([
      expect.stringContaining('unlisted.example:80: it is not in the allowed hosts (--allow-net)'),
    ]);
  });

  test('does not reach a private address by a listed name or under *', async () => {
    const port = portOf(web);
    const script = `${get(`http://localhost:${port}/`)}; ${get(`http://127.1:${port}/`)}; ${get(`http://[::ffff:127.0.0.1]:${port}/`)}`;
    const seen = requests.length;
    const outcome = await runIn(await openConfined(world.view), script, { allowNet: ['*'] });
    expect(outcome.out.match(/which must be allowed by itself/g)?.length).toBe(3);
    expect([outcome.refusedEgress.length, requests.length]).toEqual([3, seen]);
    // Names are recorded for their look-up, which may carry something out; an address needs none.
    expect(outcome.egress.some((name) => name.startsWith('['))).toBe(false);
  });

  test('cannot end Ramet with a server that answers nonsense', async () => {
    const nonsense = createTcpServer(
      (socket) => void socket.on('error', () => undefined).end('HTTP/1.1 099 No\r\nx: \x80\r\n\r\n'),
    );
    await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${portOf(nonsense)}`;
    const outcome = await runIn(await openConfined(world.view), `${get(`http://${host}/`)}; echo end`, {
      allowNet: [host],
    });
    nonsense.close();
    expect(outcome.out.endsWith('end\n')).toBe(true);
    expect(outcome.egress).toEqual([host]);
  });

  test('has no other way out than the proxy', async () => {
    const host = `127.0.0.1:${portOf(web)}`;
    const outcome = await runIn(await openConfined(world.view), `exec 3<>/dev/tcp/127.0.0.1/${portOf(web)}`, {
      allowNet: [host],
    });
    expect(outcome.err).toContain('refused');
    expect(outcome.egress).toEqual([]);
  });

  test('with nothing reached has an empty egress, its own exit code, output and stdin', async () => {
    const outcome = await runIn(await openConfined(world.view), 'cat; echo err >&2; exit 5', {
      allowNet: ['example.org'],
      stdin: Buffer.from('in'),
    });
    expect(outcome).toMatchObject({ exitCode: 5, out: 'in', err: 'err\n', egress: [], refusedEgress: [] });
    expect((await runIn(await openConfined(world.view), 'kill -TERM $$', { allowNet: ['example.org'] })).exitCode).toBe(
      143,
    );
  });

  test('leaves no socket, and an open tunnel does not outlive it', async () => {
    const host = `127.0.0.1:${portOf(echo)}`;
    const script = `${ask(`CONNECT ${host} HTTP/1.1\\r\\n\\r\\n`)} >/dev/null & sleep 0.5`;
    const left = await leftoversOf(world, async () => {
      const outcome = await runIn(await openConfined(world.view), script, { allowNet: [host] });
      expect(outcome.egress).toEqual([host]);
    });
    expect(left).toEqual([]);
    await expect.poll(() => new Promise((resolve) => echo.getConnections((_error, count) => resolve(count)))).toBe(0);
  });

  test('is refused a rule that is none, before anything runs', async () => {
    const running = runIn(await openConfined(world.view), 'touch ran', { allowNet: ['http://example.org/'] });
    await expect(running).rejects.toMatchObject({ code: 'bad_config' });
    expect(existsSync(`${world.workspace}/ran`)).toBe(false);
  });
});

describe('host rules', () => {
  const rules = (...texts: string[]) => texts.map((text) => parseHostRule(text) ?? expect.unreachable(text));
  const allowed = (authority: string, ...texts: string[]) =>
    isAllowed(parseDestination(authority, null) ?? expect.unreachable(authority), rules(...texts));

  test('a name means that host at every port, with a port that port only', () => {
    expect(allowed('example.org:443', 'example.org')).toBe(true);
    expect(allowed('EXAMPLE.org.:443', 'example.ORG')).toBe(true);
    expect(allowed('example.org:80', 'example.org:443')).toBe(false);
    expect(allowed('sub.example.org:443', 'example.org')).toBe(false);
    expect(allowed('notexample.org:443', 'example.org')).toBe(false);
  });

  test('*. means subdomains, not the domain itself and not a lookalike', () => {
    expect(allowed('a.b.example.org:1', '*.example.org')).toBe(true);
    expect(allowed('example.org:1', '*.example.org')).toBe(false);
    expect(allowed('evilexample.org:1', '*.example.org')).toBe(false);
  });

  test('two spellings of an address are one', () => {
    expect(allowed('[0:0:0:0:0:0:0:1]:80', '::1')).toBe(true);
    expect(allowed('[::1]:80', '[::1]:80')).toBe(true);
  });

  test.each(['', 'http://x', 'a b', 'x:0', 'x:99999', '*x', 'a.*.b', 'x/y', '[x]', 'fe80::1%eth0', 'a@b'])(
    '%j is no rule',
    (text) => {
      expect(parseHostRule(text)).toBeNull();
    },
  );

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.1.1',
    '172.20.0.1',
    '100.64.1.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1%eth0',
  ])('%s needs to be listed itself', (address) => {
    const destination = { host: 'name.example', port: 80 };
    expect(isAddressAllowed(address, destination, rules('*', 'name.example'))).toBe(false);
  });

  test('public addresses need no rule of their own; a listed private one is allowed, at its port', () => {
    const destination = { host: 'name.example', port: 80 };
    expect(isAddressAllowed('93.184.216.34', destination, rules('name.example'))).toBe(true);
    expect(isAddressAllowed('2606:2800:220:1::1', destination, rules('name.example'))).toBe(true);
    expect(isAddressAllowed('::ffff:10.0.0.1', destination, rules('10.0.0.1:80'))).toBe(true);
    expect(isAddressAllowed('10.0.0.1', destination, rules('10.0.0.1:81'))).toBe(false);
  });
});
