/** What a step costs: a chain of no-op tool nodes, against writing and syncing the same bytes once a step. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Area, openStore } from '../area.ts';
import { measurePair, type Row } from '../measure.ts';
import { makeChain } from './documents.ts';
import { makeServices, makeTool, runToEnd } from './engine.ts';

/** Milliseconds a step of a chain of this many nodes. */
export async function measureChain(area: Area, steps: number): Promise<Row> {
  const store = openStore(join(area.folder, 'chain'));
  const services = makeServices(store, [makeTool('step', () => 'ok')]);
  const document = makeChain(steps);
  const cpuMs: number[] = [];
  let bytes = 0;
  return measurePair({
    name: `a step of a ${steps}-node chain, durable`,
    floor: 'one write + fdatasync of its bytes',
    rounds: 9,
    subject: async () => {
      const used = process.cpuUsage();
      const started = performance.now();
      const { run } = await runToEnd(services, document, null);
      const ms = (performance.now() - started) / steps;
      const { user, system } = process.cpuUsage(used);
      cpuMs.push((user + system) / 1000 / steps);
      bytes = bytesOf(store, run);
      return ms;
    },
    base: (round) => writeSteps(join(area.folder, `chain-floor-${round}`), steps, Math.ceil(bytes / steps)),
    target: { ratio: 1.5, beyondMs: 0.5 },
    note: () => `${Math.ceil(bytes / steps)} bytes a step, at least ${Math.min(...cpuMs).toFixed(2)} ms of processors`,
  });
}

function bytesOf(store: FileStore, run: RunId): number {
  return (
    store
      .read(run)
      ?.readOutline()
      .heads.reduce((sum, head) => sum + head.bytes, 0) ?? 0
  );
}

/** Appends as often, as much, each time durably; answers the milliseconds of one append. */
function writeSteps(file: string, steps: number, bytes: number): number {
  const line = Buffer.alloc(bytes, 'x');
  const fd = openSync(file, 'ax', 0o600);
  const started = performance.now();
  for (let step = 0; step < steps; step += 1) {
    writeSync(fd, line);
    fdatasyncSync(fd);
  }
  const ms = (performance.now() - started) / steps;
  closeSync(fd);
  return ms;
}
