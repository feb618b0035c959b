// Vitest reporter that ends a run with its counts, skips included, as the very last line.

import { writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { listForbiddenSkips, type Outcome, renderCounts, renderSkips } from './summary.ts';

/** Prints every skip with its reason, then `N passed, N failed, N skipped`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const outcomes = [...modules.flatMap(listOutcomes), ...errors.map(describeError)];
    const forbidden = listForbiddenSkips(outcomes, { ci: process.env.CI === 'true' });
    const lines = [
      ...renderSkips(outcomes),
      ...forbidden.map(({ name }) => `not allowed to be skipped when CI=true: ${name}`),
      renderCounts(outcomes),
    ];
    // At exit, because vitest still prints and sets the exit status after the last reporter.
    process.once('exit', () => {
      if (forbidden.length > 0) process.exitCode = 1;
      writeSync(1, `\n${lines.join('\n')}\n`);
    });
  }
}

function listOutcomes(module: TestModule): Outcome[] {
  const tests = [...module.children.allTests()].map((test) => describeTest(module, test));
  const broken = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const name = module.relativeModuleId;
  return [...tests, ...broken.map((): Outcome => ({ name: `${name} (outside its tests)`, state: 'failed' }))];
}

function describeTest(module: TestModule, test: TestCase): Outcome {
  const result = test.result();
  const name = `${module.relativeModuleId} > ${test.fullName}`;
  if (result.state === 'skipped') return { name, state: 'skipped', reason: result.note };
  return { name, state: result.state === 'passed' ? 'passed' : 'failed' };
}

function describeError(error: SerializedError): Outcome {
  return { name: `unhandled error: ${error.message}`, state: 'failed' };
}
