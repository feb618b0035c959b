/** DBOS on a PostgreSQL of its own: the same workflows, forked with `forkWorkflow`. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { startPostgres } from './postgres.ts';
import {
  type ChainFigure,
  type ForkFigure,
  type PeerReport,
  type PeerRequest,
  printReport,
  readRequest,
  readVersions,
  type SideEffectFigure,
} from './report.ts';
import { countLines, type ForkSample, makeText, measureSync, sumUpForks } from './workload.ts';

/** What a step does: replaced by each measurement, as a registered workflow cannot be. */
let step: (index: number) => string | Promise<string> = () => 'ok';

const chain = DBOS.registerWorkflow(
  async (steps: number): Promise<number> => {
    for (let index = 0; index < steps; index += 1) {
      await DBOS.runStep(async () => step(index), { name: `s${index}` });
    }
    return steps;
  },
  { name: 'chain' },
);

const request = readRequest();
const server = await startPostgres(request.folder);
const client = new pg.Client({ connectionString: `${server.url}/postgres` });
try {
  await client.connect();
  printReport(await measure(request, server.url));
} finally {
  await DBOS.shutdown();
  await client.end();
  await server.stop();
}

async function measure(asked: PeerRequest, url: string): Promise<PeerReport> {
  await client.query('CREATE DATABASE dbos');
  // Its console is the report's.
  console.log = console.error;
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: `${url}/dbos`, logLevel: 'error' });
  await DBOS.launch();
  const before = measureSync(asked.folder);
  const figure = await measureChain(asked);
  return {
    peer: 'DBOS on PostgreSQL',
    versions: { ...readVersions(['@dbos-inc/dbos-sdk']), PostgreSQL: await askVersion() },
    syncMs: [before, measureSync(asked.folder)],
    chain: [figure],
    fork: await measureFork(asked),
    sideEffect: await showSideEffect(asked),
  };
}

async function askVersion(): Promise<string> {
  const { rows } = await client.query('SHOW server_version');
  return String(rows[0]?.server_version);
}

async function measureChain({ steps, rounds }: PeerRequest): Promise<ChainFigure> {
  step = () => 'ok';
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    await runChain(`chain-${round}`, steps);
    if (round > 0) times.push(performance.now() - started);
  }
  return { how: 'as it comes (PostgreSQL syncs each commit)', msPerStep: Math.min(...times) / steps };
}

async function runChain(workflowID: string, steps: number): Promise<void> {
  const handle = await DBOS.startWorkflow(chain, { workflowID })(steps);
  await handle.getResult();
}

async function measureFork(asked: PeerRequest): Promise<ForkFigure> {
  const { steps, forks, outputBytes } = asked;
  const at = Math.floor(steps / 2);
  let reached = { at: 0, bytes: 0 };
  step = async (index) => {
    if (index === at) reached = { at: performance.now(), bytes: await sizeOf() };
    return makeText(index, outputBytes);
  };
  const empty = await sizeOf();
  await runChain('source', steps);
  const bytesOfSource = (await sizeOf()) - empty;
  const listed = performance.now();
  await DBOS.listWorkflowSteps('source');
  const listMs = performance.now() - listed;
  const samples: ForkSample[] = [];
  for (let fork = 0; fork < forks; fork += 1) {
    const before = await sizeOf();
    const started = performance.now();
    const child = await DBOS.forkWorkflow('source', at);
    await child.getResult();
    samples.push({
      firstStepMs: reached.at - started,
      bytesAtFirstStep: reached.bytes - before,
      bytesAtEnd: (await sizeOf()) - before,
    });
  }
  return {
    how: 'forkWorkflow at the step',
    ...sumUpForks(samples),
    bytesOfSource,
    listMs,
  };
}

async function sizeOf(): Promise<number> {
  const { rows } = await client.query("SELECT pg_database_size('dbos') AS bytes");
  return Number(rows[0]?.bytes);
}

async function showSideEffect({ folder }: PeerRequest): Promise<SideEffectFigure> {
  const sink = join(folder, 'sink-dbos');
  step = (index) => {
    if (index === 1) appendFileSync(sink, 'sent\n');
    return 'ok';
  };
  await runChain('effect', 3);
  if (!existsSync(sink)) throw new Error('the source wrote nothing');
  const said = await forkAloud();
  return { writes: countLines(readFileSync(sink, 'utf8')), said };
}

async function forkAloud(): Promise<string | null> {
  try {
    const child = await DBOS.forkWorkflow('effect', 1);
    await child.getResult();
    return null;
  } catch (error) {
    return String(error);
  }
}
