// Makes a clone ready: dependencies, the system tools the tests use, the built command.
//
// Owns everything that must exist before `npm run <name>:inner`. Plain JavaScript without
// dependencies, because it runs on whatever Node the system has; everything after it runs on the
// Node that it installs into node_modules/.bin.
//
// 1. Does nothing, quickly, when nothing changed.
// 2. A step that fails for good ends with one line on stderr and exit status 1; a missing system
//    tool is only reported, since the tests that need it can be skipped.
// 3. Two set-ups of one clone never work at the same time (Linux; elsewhere: not guarded).

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_STAMP, digestOfBuildInputs } from './inputs.mjs';

const REQUIRED_MAJOR = 24;
const APT_TIMEOUT_MS = 300_000;

/**
 * Debian packages by the command they bring. Each group is installed by itself: not every system with apt has a browser
 * as a package, and one name that apt does not know stops the whole of an installation. A browser needs a font to lay out
 * text.
 *
 * @type {readonly Readonly<Record<string, readonly string[]>>[]}
 */
const SYSTEM_TOOLS = [
  { bwrap: ['bubblewrap'], rg: ['ripgrep'], jq: ['jq'], git: ['git'] },
  { chromium: ['chromium', 'fonts-dejavu-core'] },
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const installStamp = join(root, 'node_modules', '.ramet-setup');

class SetupFailure extends Error {}

await main();

async function main() {
  const started = Date.now();
  try {
    const release = await lock();
    installDependencies();
    installSystemTools();
    buildCommand();
    release();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    say(error.message);
    process.exit(1);
  }
  if (Date.now() - started > 2000) say(`ready after ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Installs the locked dependencies when they are missing or the lockfile is another one. */
function installDependencies() {
  const digest = sha256(readFileSync(join(root, 'package-lock.json')));
  if (readIfPresent(installStamp) === digest) return;
  say('installing dependencies (npm ci)');
  run('npm', ['ci', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'], { step: 'npm ci' });
  writeFileSync(installStamp, digest);
}

/** Installs missing tools with apt where that is possible; says which are missing otherwise. */
function installSystemTools() {
  if (process.platform !== 'linux') return;
  const missing = SYSTEM_TOOLS.map(listMissingPackages).filter((packages) => packages.length > 0);
  if (missing.length === 0) return;
  const obstacle = findAptObstacle();
  if (obstacle !== undefined) {
    say(`not installed: ${missing.flat().join(' ')} (${obstacle}); tests that need them are skipped`);
    return;
  }
  say(`installing ${missing.flat().join(' ')} (apt-get)`);
  runApt(['update']);
  for (const packages of missing) runApt(['install', '-y', '--no-install-recommends', ...packages]);
  const still = SYSTEM_TOOLS.flatMap(listMissingPackages);
  if (still.length > 0) say(`not installed: ${still.join(' ')} (apt-get failed); tests that need them are skipped`);
}

/** @param {readonly string[]} args */
function runApt(args) {
  const settings = ['Acquire::Retries=1', 'Acquire::http::Timeout=20', 'DPkg::Lock::Timeout=60'];
  const options = settings.flatMap((setting) => ['-o', setting]);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['-qq', ...options, ...args], { env, stdio: 'ignore', timeout: APT_TIMEOUT_MS });
}

/** Builds the `ramet` command when its inputs are not the ones of the last build. */
function buildCommand() {
  const built = existsSync(join(root, 'packages/cli/dist/main.mjs'));
  if (built && readIfPresent(join(root, BUILD_STAMP)) === digestOfBuildInputs(root)) return;
  say('building the command');
  run(findNode(), [join(root, 'scripts/build.ts')], { step: 'the build (scripts/build.ts)' });
}

/** The Node to run TypeScript with: the installed one, else this one if it is new enough. */
function findNode() {
  const installed = join(bin, 'node');
  if (existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.', 1)[0]) >= REQUIRED_MAJOR) return process.execPath;
  throw new SetupFailure(`needs Node ${REQUIRED_MAJOR} or newer on this platform, but this is ${process.version}`);
}

/**
 * @param {Readonly<Record<string, readonly string[]>>} tools
 * @returns {readonly string[]}
 */
function listMissingPackages(tools) {
  return Object.entries(tools).flatMap(([command, packages]) => (isOnPath(command) ? [] : packages));
}

/** Why apt cannot be used here, or undefined when it can. */
function findAptObstacle() {
  if (process.env.RAMET_SETUP_NO_APT === '1') return 'RAMET_SETUP_NO_APT=1';
  if (!existsSync('/etc/debian_version') || !isOnPath('apt-get')) return 'no apt here';
  if (process.getuid?.() !== 0) return 'not root';
  return undefined;
}

/** @param {string} command */
function isOnPath(command) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => isExecutable(join(folder, command)));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a step to its end with its output on stderr; throws a SetupFailure if it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ step: string }} options
 */
function run(command, args, { step }) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.error) throw new SetupFailure(`${step} could not start: ${result.error.message}`);
  if (result.status !== 0) throw new SetupFailure(`${step} failed (${result.signal ?? `exit ${result.status}`})`);
}

/**
 * Waits until no other set-up of this clone runs. The lock is a socket name in Linux's abstract
 * namespace, which the kernel frees at any death.
 *
 * @returns {Promise<() => void>} releases the lock
 */
async function lock() {
  if (process.platform !== 'linux') return () => {};
  const name = `\0ramet-setup-${sha256(Buffer.from(root)).slice(0, 32)}`;
  for (let attempt = 0; ; attempt += 1) {
    const server = await listen(name);
    if (server !== undefined) return () => server.close();
    if (attempt === 0) say('waiting for another set-up of this clone');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * @param {string} name
 * @returns {Promise<import('node:net').Server | undefined>} undefined when somebody else holds it
 */
function listen(name) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => resolve(server));
  });
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @param {string} path */
function readIfPresent(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} message */
function say(message) {
  process.stderr.write(`setup: ${message}\n`);
}
