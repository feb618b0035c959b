// Bundles the `ramet` command into packages/cli/dist: one entry, and chunks that load on demand.
//
// 1. dist/main.mjs is replaced last and in one step, so a command that starts during a build runs
//    either the old build or the new one.
// 2. Chunks are named by their content and outlive a build by an hour, so a running command can
//    still load them; `--clean` (used for packing) keeps none.
// 3. The licence of every bundled package, the browser interface's too, is in dist/THIRD-PARTY.txt.
// 4. The browser interface is in dist/web, replaced as a whole: a daemon reads it once, when it starts.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { renderLicences } from './build/licences.ts';
import { buildWeb, placeWeb } from './build/web.ts';
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
  const [result, web] = await Promise.all([build(options).catch(() => undefined), buildWeb(root)]);
  if (result === undefined || web === undefined) process.exit(1);
  if (process.argv.includes('--clean')) rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const files = result.outputFiles.map((file) => ({ name: basename(file.path), contents: file.contents }));
  for (const file of files) {
    if (file.name !== ENTRY) writeFileSync(join(dist, file.name), file.contents);
  }
  placeWeb(web.folder, join(dist, 'web'));
  writeFileSync(join(dist, LICENCES), renderLicences(root, [...bundledFiles(result.metafile), ...web.files]));
  const entry = files.find((file) => file.name === ENTRY);
  writeFileSync(join(dist, `.${ENTRY}`), entry?.contents ?? '');
  renameSync(join(dist, `.${ENTRY}`), join(dist, ENTRY));
  writeFileSync(join(root, BUILD_STAMP), digest);
  removeOldChunks(new Set(files.map((file) => file.name)));
}

function bundledFiles(metafile: Metafile): readonly string[] {
  return Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
}

function removeOldChunks(current: ReadonlySet<string>): void {
  const limit = Date.now() - KEEP_CHUNKS_MS;
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (name.startsWith('chunk-') && !current.has(name) && statSync(path).mtimeMs < limit) rmSync(path);
  }
}
