// Runs every check of the repository, or the named ones: `node scripts/check.ts arrows sizes`.
//
// Prints what is wrong as `file:line message`, or a tool's own output; exits 1 if anything is.

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkArrows } from './check/arrows.ts';
import { checkLinks } from './check/links.ts';
import { checkPurity } from './check/purity.ts';
import { checkSizes } from './check/sizes.ts';
import { listPackages, type Problem } from './check/source.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A check answers with the text of what is wrong, empty when nothing is. */
type Check = () => Promise<string>;

const checks: Readonly<Record<string, Check>> = {
  style: () => runTool('biome', ['ci', '--error-on-warnings', '--diagnostic-level=warn', '--colors=off', '.']),
  types: checkTypes,
  arrows: async () => renderProblems(checkArrows(root)),
  sizes: async () => renderProblems(checkSizes(root)),
  purity: async () => renderProblems(checkPurity(root)),
  links: async () => renderProblems(checkLinks(root)),
  client: () => runTool('node', ['scripts/client.ts', '--check']),
  unused: () => runTool('knip', ['--no-progress', '--no-config-hints']),
};

await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    process.stderr.write(`check: no check is named '${unknown}'; there are ${Object.keys(checks).join(', ')}\n`);
    process.exit(1);
  }
  const chosen = Object.entries(checks).filter(([name]) => names.length === 0 || names.includes(name));
  const results = await Promise.all(chosen.map(async ([name, check]) => ({ name, output: await check() })));
  const failed = results.filter((result) => result.output !== '');
  for (const { name, output } of failed) process.stderr.write(`check ${name} failed:\n${output.trimEnd()}\n\n`);
  const passed = results.filter((result) => result.output === '').map((result) => result.name);
  if (passed.length > 0) process.stderr.write(`check: ${passed.join(', ')} passed\n`);
  if (failed.length > 0) process.exit(1);
}

async function checkTypes(): Promise<string> {
  const projects = ['.', ...listPackages(root).map((name) => `packages/${name}`)];
  const lines = new Set<string>();
  for (const project of projects) {
    const output = await runTool('tsc', ['--pretty', 'false', '-p', project]);
    // A package's error appears again in every project that imports it.
    for (const line of output.split('\n').filter((text) => text !== '')) lines.add(`${line}\n`);
  }
  return [...lines].join('');
}

function renderProblems(problems: readonly Problem[]): string {
  return problems.map(({ file, line, message }) => `${file}:${line} ${message}\n`).join('');
}

/** Runs an installed tool; answers with all it printed if it fails. */
function runTool(name: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', name), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve(`${name} could not start: ${error.message}\n`));
    child.on('close', (code) => resolve(code === 0 ? '' : output || `${name} ended with ${code} and said nothing\n`));
  });
}
