/** One figure from a fresh process, as JSON; started by `workers.ts`. */
import type { PeerRequest } from '../peers/report.ts';
import { makeOwnReport } from './own-report.ts';
import { forkOnce, type Source } from './source.ts';
import { runWide, type Shape } from './wide.ts';
import type { WorkerTask } from './workers.ts';

const [task = '', ...args] = process.argv.slice(2);
const TASKS: Readonly<Record<WorkerTask, (args: readonly string[]) => Promise<unknown>>> = {
  wide: ([folder = '', shape, count]) => runWide(folder, shape as Shape, Number(count)),
  fork: ([source = '', fromNode = '', child]) =>
    forkOnce(JSON.parse(source) as Source, fromNode, child === 'driven' ? () => {} : undefined),
  own: ([request = '']) => makeOwnReport(JSON.parse(request) as PeerRequest),
};
process.stdout.write(JSON.stringify(await TASKS[task as WorkerTask](args)));
