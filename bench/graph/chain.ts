/**
 * What a step costs: a chain of no-op tool nodes, against appending the events of a step to a log that nobody drives, and
 * against nothing but writing and syncing as many bytes.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type EventDraft, isRefusal, type LoggedEvent, type RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Area, makeSession, openStore } from '../area.ts';
import { measurePair, type Row } from '../measure.ts';
import { makeChain } from './documents.ts';
import { makeServices, makeTool, runToEnd } from './engine.ts';

/** Milliseconds a step of a chain of this many nodes, against either floor. */
export async function measureChain(area: Area, steps: number): Promise<readonly Row[]> {
  return [await measureBeyondDisk(area, steps), await measureBeyondLog(area, steps)];
}

async function measureBeyondDisk(area: Area, steps: number): Promise<Row> {
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

async function measureBeyondLog(area: Area, steps: number): Promise<Row> {
  const store = openStore(join(area.folder, 'chain-log'));
  const services = makeServices(store, [makeTool('step', () => 'ok')]);
  const document = makeChain(steps);
  let drafts: readonly EventDraft[] = [];
  return measurePair({
    name: `a step of a ${steps}-node chain, durable`,
    floor: 'one durable append of its events',
    rounds: 9,
    subject: async () => {
      const started = performance.now();
      const { run } = await runToEnd(services, document, null);
      const ms = (performance.now() - started) / steps;
      drafts = [...(store.read(run)?.readEvents() ?? [])].filter(({ node }) => node !== undefined).map(draftAgain);
      return ms;
    },
    base: () => appendSteps(store, drafts, steps),
    target: { ratio: 1.5 },
  });
}

function draftAgain({ seq: _seq, prev: _prev, time: _time, event0: _event0, ...draft }: LoggedEvent): EventDraft {
  return draft as EventDraft;
}

/** Appends the events of all steps, those of one at a time; answers the milliseconds of one append. */
async function appendSteps(store: FileStore, drafts: readonly EventDraft[], steps: number): Promise<number> {
  const log = await store.own(await makeSession(store, 0));
  if (isRefusal(log)) throw new Error(log.message);
  const each = drafts.length / steps;
  const started = performance.now();
  for (let step = 0; step < steps; step += 1) {
    await log.append(drafts.slice(step * each, (step + 1) * each), { durable: true });
  }
  const ms = (performance.now() - started) / steps;
  log.close();
  return ms;
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
