/** Collects a project's garbage in a process of its own, so that a test can kill it: `<home> <project>`. */
import { isRefusal } from '@ramet/core/codes';
import { collectGarbage } from '../../../src/workspace/gc/index.ts';
import { readProject } from '../../../src/workspace/project/index.ts';

const [home = '', id = ''] = process.argv.slice(2);
const project = await readProject({ stateFolder: home, id });
if (isRefusal(project)) throw new Error(project.message);
process.stdout.write('started\n');
const report = await collectGarbage({ home, project, dryRun: false });
process.stdout.write(`${JSON.stringify(report)}\n`);
