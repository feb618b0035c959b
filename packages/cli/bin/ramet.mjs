#!/usr/bin/env node
// Starts the built command. Plain JavaScript without dependencies, so that a Node too old for
// the build can still read it and say what is needed.
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const REQUIRED_MAJOR = 24;
const build = new URL('../dist/main.mjs', import.meta.url);

/** @param {string} message */
function fail(message) {
  process.stderr.write(`ramet: ${message}\n`);
  process.exit(1);
}

/** Compiled code is run as it lies there: it must not lie in a temporary folder that others can write to. */
function makeCacheFolder() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ramet', 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Then node finds that it cannot write there, and compiles each time.
  }
  return folder;
}

if (Number(process.versions.node.split('.', 1)[0]) < REQUIRED_MAJOR) {
  fail(
    `needs Node ${REQUIRED_MAJOR} or newer, but ${process.execPath} is ${process.version}; install Node ${REQUIRED_MAJOR} and put it first in PATH`,
  );
}
if (!existsSync(build)) {
  fail('the build is missing; run `node scripts/setup.mjs` in the repository, or reinstall the package');
}
module.enableCompileCache(process.env.NODE_COMPILE_CACHE || makeCacheFolder());
await import(build.href);
