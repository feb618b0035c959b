/**
 * The bridge of a sandbox with network: programs know proxies by host and port, the proxy has only a socket file. This
 * program runs inside, listens on the sandbox's own loopback, passes bytes on, and starts the command with the proxy's
 * address in its environment. It has no more rights than the command.
 */
import type { Bind } from './bubblewrap-arguments.ts';
import { parseHostRule } from './host-rules.ts';

/** Where the bridge's program and socket are inside. */
export const BRIDGE_FOLDER = '/.ramet';

const GUEST_NODE = `${BRIDGE_FOLDER}/node`;
const GUEST_SOCKET = `${BRIDGE_FOLDER}/socket`;

/** A text, not a file: a bundled Ramet has no other files to mount. */
const BRIDGE_PROGRAM = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const [program, ...args] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: ${JSON.stringify(GUEST_SOCKET)}, allowHalfOpen: true });
  const end = () => { inner.destroy(); outer.destroy(); };
  inner.on('error', end);
  outer.on('error', end);
  inner.pipe(outer);
  outer.pipe(inner);
});
server.listen(0, '127.0.0.1', () => {
  const proxy = 'http://127.0.0.1:' + server.address().port;
  const env = { ...process.env };
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy']) env[name] = env[name.toUpperCase()] = proxy;
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.on('error', (error) => { process.stderr.write(error.message + '\\n'); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + require('node:os').constants.signals[signal] : code));
});
`;

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** Variables that do not depend on the port: the sandbox's own loopback goes direct, unless a rule means the host's. */
export function makeBridgeEnvironment(allowed: readonly string[]): Record<string, string> {
  const hosts = allowed.map((text) => parseHostRule(text)?.host);
  const direct = LOOPBACK_NAMES.filter((name) => !hosts.includes(name)).join(',');
  return { no_proxy: direct, NO_PROXY: direct, NODE_USE_ENV_PROXY: '1' };
}

/** Our own Node and the proxy's socket. */
export function makeBridgeBinds(socketPath: string): Bind[] {
  return [
    { source: process.execPath, target: GUEST_NODE },
    { source: socketPath, target: GUEST_SOCKET },
  ];
}

/** The command that starts the bridge, which starts this one. */
export function makeBridgeCommand(argv: readonly [string, ...string[]]): [string, ...string[]] {
  return [GUEST_NODE, '--no-warnings', '-e', BRIDGE_PROGRAM, '--', ...argv];
}
