#!/usr/bin/env node
// Starts the built command. Plain JavaScript without dependencies, so that a Node too old for
// the build can still read it and say what is needed.
import { existsSync } from 'node:fs';
import module from 'node:module';

const REQUIRED_MAJOR = 24;
const build = new URL('../dist/main.mjs', import.meta.url);

/** @param {string} message */
function fail(message) {
  process.stderr.write(`ramet: ${message}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split('.', 1)[0]) < REQUIRED_MAJOR) {
  fail(
    `needs Node ${REQUIRED_MAJOR} or newer, but ${process.execPath} is ${process.version}; install Node ${REQUIRED_MAJOR} and put it first in PATH`,
  );
}
if (!existsSync(build)) {
  fail('the build is missing; run `node scripts/setup.mjs` in the repository, or reinstall the package');
}
module.enableCompileCache();
await import(build.href);
