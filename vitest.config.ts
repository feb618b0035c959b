import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'forks',
    // Suites mostly wait for disks and processes: a core for each worker, none kept back.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['scripts/vitest/private-environment.ts'],
    setupFiles: ['scripts/vitest/fail-on-warning.ts'],
    reporters: ['default', './scripts/vitest/reporter.ts'],
  },
});
