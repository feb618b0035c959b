import { readFileSync } from 'node:fs';

/** The version of the published package; its package.json lies one folder above the source and above the build. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
