/**
 * Installs the peers from their lock file into a temporary folder, and runs each in a process of its own. What cannot be
 * had is said with its reason; no figure is made up.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Area } from '../area.ts';
import type { PeerReport, PeerRequest } from '../peers/report.ts';

const SOURCES = fileURLToPath(new URL('../peers/', import.meta.url));
const TIMEOUT_MS = 20 * 60_000;

/** A peer, and why there is nothing of it. */
export interface MissingPeer {
  readonly peer: string;
  readonly missing: string;
}

/** What each peer measured of the same work. */
export function runPeers(area: Area, asked: Omit<PeerRequest, 'folder'>): readonly (PeerReport | MissingPeer)[] {
  const installed = join(area.folder, 'peers');
  const problem = install(installed);
  const peers = { langgraph: 'LangGraph with SQLite', dbos: 'DBOS on PostgreSQL' };
  return Object.entries(peers).map(([name, peer]) => {
    if (problem !== null) return { peer, missing: problem };
    const folder = join(area.folder, name);
    mkdirSync(folder);
    return runPeer(peer, join(installed, `${name}.ts`), { ...asked, folder });
  });
}

/** Answers what went wrong. The folders are open to all: PostgreSQL refuses to be root, and must reach what it is. */
function install(folder: string): string | null {
  mkdirSync(folder);
  chmodSync(join(folder, '..'), 0o711);
  for (const name of readdirSync(SOURCES)) copyFileSync(join(SOURCES, name), join(folder, name));
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  if (done.status === 0) return null;
  return `npm ci failed: ${done.error?.message ?? firstLine(done.stderr)}`;
}

function runPeer(peer: string, script: string, request: PeerRequest): PeerReport | MissingPeer {
  const args = [script, JSON.stringify(request)];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 });
  if (done.status === 0) return JSON.parse(done.stdout) as PeerReport;
  return { peer, missing: `it failed: ${done.error?.message ?? firstLine(done.stderr)}` };
}

/** The line of an error, past what Node prints above it. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? 'it said nothing';
}
