// Keeps the arrows between packages: core <- runtime <- server <- cli, core <- web, client <- web and cli, and the
// testkit beside them.
//
// 1. A package imports only the packages below it; relative imports never leave its `src`.
// 2. core imports nothing but itself, and depends on nothing but the libraries in its table, each in one folder.
// 3. The auditor shares no code with what it audits: it imports Node's own modules and itself.
// 4. A package's tests may import any package by name, but reach no other package by path.

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type ImportedName, listFiles, listImports, listPackages, type Problem, readSources } from './source.ts';

/** The packages of ours that each package may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  runtime: ['core'],
  client: [],
  server: ['core', 'runtime'],
  cli: ['core', 'runtime', 'client', 'server'],
  web: ['core', 'client'],
  testkit: ['core', 'runtime'],
};

/**
 * Libraries that core may use, and the folder that owns each. CEL has no dependencies, and that folder lets no function
 * through that sees a clock or a time zone.
 */
const CORE_LIBRARIES: ReadonlyMap<string, string> = new Map([
  ['@marcbachmann/cel-js', 'packages/core/src/graph/expression'],
]);

const AUDITOR = 'packages/testkit/src/auditor';

/** Every import that goes against an arrow. */
export function checkArrows(root: string): Problem[] {
  return listPackages(root).flatMap((name) => {
    if (!Object.hasOwn(ARROWS, name)) return [unknownPackage(name)];
    return [...checkSources(root, name), ...checkTests(root, name), ...checkManifest(root, name)];
  });
}

function checkSources(root: string, name: string): Problem[] {
  const home = `packages/${name}/src`;
  return readSources(root, home).flatMap((source) =>
    listImports(source).flatMap((imported) => {
      const message = imported.name.startsWith('.')
        ? judgeRelative(source.file, imported, home)
        : judgeNamed(source.file, imported, name);
      return message === undefined ? [] : [{ file: source.file, line: imported.line, message }];
    }),
  );
}

function checkTests(root: string, name: string): Problem[] {
  const home = `packages/${name}`;
  return readSources(root, `${home}/test`).flatMap((source) =>
    listImports(source).flatMap((imported) => {
      const message = imported.name.startsWith('.') ? judgeRelative(source.file, imported, home) : undefined;
      return message === undefined ? [] : [{ file: source.file, line: imported.line, message }];
    }),
  );
}

function judgeRelative(file: string, imported: ImportedName, home: string): string | undefined {
  const target = normalize(join(dirname(file), imported.name));
  const inAuditor = file.startsWith(`${AUDITOR}/`);
  if (inAuditor && !target.startsWith(`${AUDITOR}/`))
    return `the auditor imports '${imported.name}', outside its folder`;
  if (!target.startsWith(`${home}/`)) return `'${imported.name}' leaves ${home}; import the package by its name`;
  if (!/\.(tsx?|mjs|json|css)$/.test(target)) return `'${imported.name}' needs its file extension (.ts)`;
  return undefined;
}

function judgeNamed(file: string, imported: ImportedName, name: string): string | undefined {
  const target = imported.name;
  if (file.startsWith(`${AUDITOR}/`)) {
    return target.startsWith('node:') ? undefined : `the auditor imports '${target}'; it may only use node: modules`;
  }
  if (name === 'core') return judgeInCore(file, target);
  const ours = findOwnPackage(target);
  if (ours === undefined || ARROWS[name]?.includes(ours)) return undefined;
  return `${name} imports '${target}'; it may import ${listAllowed(name)}`;
}

function judgeInCore(file: string, target: string): string | undefined {
  const owner = CORE_LIBRARIES.get(target);
  if (owner === undefined) return `core imports '${target}'; it may import nothing but itself`;
  return file.startsWith(`${owner}/`) ? undefined : `core imports '${target}' outside ${owner}`;
}

function checkManifest(root: string, name: string): Problem[] {
  const file = `packages/${name}/package.json`;
  if (!listFiles(root, `packages/${name}`).includes(file)) return [];
  const text = readFileSync(join(root, file), 'utf8');
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(text);
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  return Object.keys(wanted).flatMap((dependency) => {
    const ours = findOwnPackage(dependency);
    const allowed =
      name === 'core' ? CORE_LIBRARIES.has(dependency) : ours === undefined || ARROWS[name]?.includes(ours);
    if (allowed) return [];
    const line = text.slice(0, text.indexOf(`"${dependency}"`)).split('\n').length;
    return [{ file, line, message: `${name} depends on '${dependency}'; it may use ${listAllowed(name)}` }];
  });
}

/** The folder name of one of our packages, or undefined for anybody else's. */
function findOwnPackage(target: string): string | undefined {
  if (target === 'ramet' || target.startsWith('ramet/')) return 'cli';
  return /^@ramet\/([^/]+)/.exec(target)?.[1];
}

function listAllowed(name: string): string {
  const allowed = ARROWS[name] ?? [];
  return allowed.length === 0 ? 'no other package' : `of ours only ${allowed.join(', ')}`;
}

function unknownPackage(name: string): Problem {
  const message = `packages/${name} has no entry in the table of arrows`;
  return { file: 'scripts/check/arrows.ts', line: 1, message };
}
