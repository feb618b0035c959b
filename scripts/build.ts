// Bundles the `ramet` command into packages/cli/dist: one entry, and chunks that load on demand.
//
// 1. dist/main.mjs is replaced last and in one step, so a command that starts during a build runs
//    either the old build or the new one.
// 2. Chunks are named by their content and outlive a build by an hour, so a running command can
//    still load them; `--clean` (used for packing) keeps none.
// 3. The licence of every bundled package is in dist/THIRD-PARTY.txt.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BUILD_STAMP, digestOfBuildInputs } from './inputs.mjs';

const KEEP_CHUNKS_MS = 3_600_000;
const ENTRY = 'main.mjs';
const LICENCES = 'THIRD-PARTY.txt';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'packages/cli/dist');

// CommonJS dependencies call `require` for Node's own modules.
const banner = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

const options = {
  absWorkingDir: root,
  entryPoints: { main: 'packages/cli/src/main.ts' },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['fs-native-extensions'],
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  banner: { js: banner },
  metafile: true,
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

await buildCommand();

async function buildCommand(): Promise<void> {
  const digest = digestOfBuildInputs(root);
  const result = await build(options).catch(() => undefined);
  if (result === undefined) process.exit(1);
  if (process.argv.includes('--clean')) rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const files = result.outputFiles.map((file) => ({ name: basename(file.path), contents: file.contents }));
  for (const file of files) {
    if (file.name !== ENTRY) writeFileSync(join(dist, file.name), file.contents);
  }
  writeFileSync(join(dist, LICENCES), renderLicences(result.metafile));
  const entry = files.find((file) => file.name === ENTRY);
  writeFileSync(join(dist, `.${ENTRY}`), entry?.contents ?? '');
  renameSync(join(dist, `.${ENTRY}`), join(dist, ENTRY));
  writeFileSync(join(root, BUILD_STAMP), digest);
  removeOldChunks(new Set(files.map((file) => file.name)));
}

function removeOldChunks(current: ReadonlySet<string>): void {
  const limit = Date.now() - KEEP_CHUNKS_MS;
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (name.startsWith('chunk-') && !current.has(name) && statSync(path).mtimeMs < limit) rmSync(path);
  }
}

/** The text of dist/THIRD-PARTY.txt: name, version and licence of each package in the bundle. */
function renderLicences(metafile: Metafile): string {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.flatMap((input) => findPackageFolder(input) ?? []));
  const sections = [...folders].sort().map(renderLicence);
  return `The built command contains these packages:\n\n${sections.join('\n')}`;
}

/** `node_modules/<name>` or `node_modules/@scope/<name>`, the innermost one, of a bundled file. */
function findPackageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

function renderLicence(folder: string): string {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
  const rule = '-'.repeat(80);
  return `${rule}\n${manifest.name} ${manifest.version} (${manifest.license ?? 'licence not named'})\n\n${text}\n`;
}
