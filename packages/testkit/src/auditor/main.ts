// Checks a store: `node packages/testkit/src/auditor/main.ts <home>`. Prints each problem on a line, then exits 1 if
// there is any.
import { auditStore } from './audit.ts';
import { renderProblem } from './problem.ts';

const home = process.argv[2];
if (home === undefined) {
  process.stderr.write('usage: main.ts <home>\n');
  process.exit(1);
}
const problems = auditStore(home);
for (const problem of problems) process.stdout.write(`${renderProblem(problem)}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
