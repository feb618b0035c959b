/** How long the built command takes to start, against an empty Node. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Area, makeSession, openStore } from './area.ts';
import { measurePair, type Row } from './measure.ts';

const BIN = fileURLToPath(new URL('../packages/cli/bin/ramet.mjs', import.meta.url));

/** Starts `ramet --version`, `ramet sessions` over this many sessions, and one fork, each as a process. */
export async function measureStartup(area: Area, sessions: number): Promise<readonly Row[]> {
  const home = join(area.folder, 'startup');
  const store = openStore(home);
  for (let index = 0; index < sessions; index += 1) await makeSession(store, 10);
  const far = join(area.folder, 'startup-fork');
  const long = await makeSession(openStore(far), 100_000);
  return [
    await pairWithNode({ name: 'ramet --version', home, args: ['--version'], beyondMs: 60 }),
    await pairWithNode({ name: `ramet sessions (${sessions})`, home, args: ['sessions', '--json'] }),
    await pairWithNode({ name: 'ramet fork, 100000 events', home: far, args: ['fork', long], beyondMs: 90 }),
  ];
}

interface Start {
  readonly name: string;
  readonly home: string;
  readonly args: readonly string[];
  readonly beyondMs?: number;
}

async function pairWithNode({ name, home, args, beyondMs }: Start): Promise<Row> {
  const row = await measurePair({
    name,
    floor: 'node -e 0',
    rounds: 11,
    subject: () => run([BIN, ...args], home),
    base: () => run(['-e', '0'], home),
  });
  const beyond = row.ms - row.floorMs;
  const target = beyondMs === undefined ? '' : ` (aim: ${beyondMs}: ${beyond <= beyondMs ? 'holds' : 'MISSED'})`;
  return { ...row, note: `${beyond.toFixed(0)} ms beyond it${target}` };
}

function run(args: readonly string[], home: string): void {
  const done = spawnSync(process.execPath, args, { env: { ...process.env, RAMET_HOME: home }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
}
