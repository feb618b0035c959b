/** Bundles a worker as the command is bundled: from source, each thread it starts would first strip types for long. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Below the repository, so that what is not bundled is found. */
const FOLDER = join(ROOT, 'node_modules/.cache/ramet-bench');

/** Bundles one source of this folder; answers the file to run. */
export async function bundleWorker(name: string): Promise<string> {
  const outdir = join(FOLDER, basename(name, '.ts'));
  rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: { worker: join('bench', name) },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['fs-native-extensions'],
    logLevel: 'error',
  });
  return join(outdir, 'worker.mjs');
}
