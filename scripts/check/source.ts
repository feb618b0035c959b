// Reads and parses the sources that the checks judge. Never judges anything itself.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comment, type Program, parseSync, Visitor } from 'oxc-parser';

/** One broken rule, at a place. `file` is relative to the repository. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A parsed file. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** The line, from 1, of an offset into the text. */
  readonly lineOf: (offset: number) => number;
}

/** One module name as an import, re-export, dynamic import or import type gives it. */
export interface ImportedName {
  readonly name: string;
  readonly line: number;
}

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.git', 'coverage']);

/** Every file below a folder, relative to the repository, in order; none if there is no folder. */
export function listFiles(root: string, folder: string): string[] {
  return readFolder(join(root, folder)).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/** The names of the packages in the repository. */
export function listPackages(root: string): string[] {
  return readFolder(join(root, 'packages'))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** Every TypeScript file below a folder, parsed. */
export function readSources(root: string, folder: string): Source[] {
  return listFiles(root, folder)
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readSource(root, file));
}

/** One file, parsed; throws if it cannot be. */
function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  const error = errors.find((candidate) => candidate.severity === 'Error');
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`);
  return { file, text, program, comments, lineOf: makeLineIndex(text) };
}

/** Every module name a file imports, in any of the ways there are. */
export function listImports(source: Source): ImportedName[] {
  const found: ImportedName[] = [];
  const add = (node: { readonly value?: unknown; readonly start: number } | null | undefined) => {
    if (typeof node?.value === 'string') found.push({ name: node.value, line: source.lineOf(node.start) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source as { value?: unknown; start: number }),
    TSImportType: (node) => add(node.source),
    CallExpression: (node) => {
      const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
      if (isRequire) add(node.arguments[0] as { value?: unknown; start: number } | undefined);
    },
  }).visit(source.program);
  return found;
}

function makeLineIndex(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}

function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
