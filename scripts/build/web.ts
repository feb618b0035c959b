// Builds the browser interface, and puts it where the command serves it from.

import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

export interface WebBuild {
  /** Where it was built. */
  readonly folder: string;
  /** Every file that is in it, relative to the repository. */
  readonly files: readonly string[];
}

/** What a stylesheet imports is in no list of modules. */
const STYLES = ['node_modules/tailwindcss/index.css'];

/** Smaller files gain nothing. */
const LEAST_COMPRESSED_BYTES = 1024;

const COMPRESSED: ReadonlySet<string> = new Set(['.html', '.js', '.css', '.svg']);

/** Builds packages/web; undefined when it cannot be built, which is then on stderr. */
export async function buildWeb(root: string): Promise<WebBuild | undefined> {
  const home = join(root, 'packages/web');
  try {
    const result = await build({ root: home, configFile: join(home, 'vite.config.ts'), logLevel: 'warn' });
    const outputs = (Array.isArray(result) ? result : [result]) as readonly Rolldown.RolldownOutput[];
    const modules = outputs
      .flatMap(({ output }) => output)
      .flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    return { folder: join(home, 'dist'), files: [...STYLES, ...modules.map((id) => relative(root, id))] };
  } catch (error) {
    process.stderr.write(`build: packages/web: ${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

/** Puts a built interface into a folder, in one step and with its files compressed beforehand. */
export function placeWeb(built: string, target: string): void {
  const next = join(dirname(target), '.web');
  rmSync(next, { recursive: true, force: true });
  cpSync(built, next, { recursive: true });
  for (const entry of readdirSync(next, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) compress(join(entry.parentPath, entry.name));
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(next, target);
}

function compress(path: string): void {
  const bytes = readFileSync(path);
  if (!COMPRESSED.has(extname(path)) || bytes.length < LEAST_COMPRESSED_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
