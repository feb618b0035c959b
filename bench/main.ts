/**
 * Measures what the project promises about speed and disk, each against a floor in the same run: JSON on standard output
 * (`--json`), else a table. Not part of the tests: a shared machine's times prove nothing by themselves.
 *
 * `npm run bench [-- --quick] [-- --json] [-- --only <part>] [-- --files <n>] [-- --peers]`
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { makeArea } from './area.ts';
import { measureDaemon } from './daemon.ts';
import { measureFollowing } from './follow.ts';
import { measureForks } from './fork.ts';
import { measureGraphs } from './graph/rows.ts';
import { compareWithPeers, renderSideBySide } from './graph/side-by-side.ts';
import { measureAppend, measureOpen } from './log.ts';
import type { Row } from './measure.ts';
import { measureStartup } from './startup.ts';
import { renderTable } from './table.ts';
import { measureWeb } from './web.ts';
import { measureWorkspaces } from './workspace.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    only: { type: 'string' },
    files: { type: 'string' },
    peers: { type: 'boolean' },
  },
});
const quick = values.quick === true;
const sizes = values.files === undefined ? (quick ? [1000] : [1000, 10_000, 50_000]) : [Number(values.files)];
const area = makeArea();

const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  append: () => measureAppend(area),
  open: () => measureOpen(area, quick ? [10_000] : [10_000, 100_000]),
  follow: () => measureFollowing(area),
  fork: () => measureForks(area, quick ? [1000, 10_000] : [1000, 10_000, 100_000]),
  workspace: () => measureWorkspaces(area, sizes),
  graph: () => measureGraphs(area, quick),
  daemon: () => measureDaemon(area, quick ? 50 : 200),
  web: () => measureWeb(area, quick ? 1000 : 10_000),
  startup: () => measureStartup(area, quick ? 100 : 1000),
};

try {
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stderr.write(`measuring ${name}\n`);
    rows.push(...(await part()));
  }
  if (values.peers === true) process.stderr.write('measuring peers of graph runs\n');
  const peers = values.peers === true ? compareWithPeers(area, quick) : null;
  const { node } = process.versions;
  const report = { node, load: loadavg(), rows, ...(peers === null ? {} : { peers }) };
  const tables = [
    ...(rows.length === 0 ? [] : [renderTable(rows)]),
    ...(peers === null ? [] : [renderSideBySide(peers)]),
    describeLoad(),
  ];
  process.stdout.write(values.json === true ? `${JSON.stringify(report, null, 2)}\n` : tables.join('\n'));
} finally {
  area.remove();
}

/** What else the machine did: under load times are above what they would be, and ratios less certain. */
function describeLoad(): string {
  const [minute = 0, , quarter = 0] = loadavg().map((load) => Number(load.toFixed(1)));
  return `${minute} processes were ready to run in the last minute, ${quarter} in the last quarter of an hour, on ${availableParallelism()} cores\n`;
}
