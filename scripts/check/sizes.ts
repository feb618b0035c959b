// Keeps functions, files and parameter lists small, and asks a reason for each hole in the types.
//
// 1. Source (packages/*/src, scripts, bench): files of at most 400 lines, functions of at most 60,
//    three positional parameters, then one options type.
// 2. Tests: files of at most 800 lines; their functions are not measured.
// 3. A `describe` callback groups tests and is no function: its lines count for nobody.
// 4. A file named `generated.ts` is read by nobody: only its generator is measured.
// 5. `any` and non-null `!` in source need a comment on the same or the previous line.

import { type Node, Visitor } from 'oxc-parser';
import { listPackages, type Problem, readSources, type Source } from './source.ts';

const FUNCTION_LINES = 60;
const FILE_LINES = 400;
const TEST_FILE_LINES = 800;
const PARAMETERS = 3;

type FunctionNode = Extract<Node, { params: readonly unknown[]; body: unknown }>;

/** Every function, file and parameter list that is too large, and every unexplained type hole. */
export function checkSizes(root: string): Problem[] {
  const packages = listPackages(root);
  const folders = [
    'scripts',
    'bench',
    'test',
    ...packages.flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`]),
  ];
  const sources = folders.flatMap((folder) => readSources(root, folder));
  return sources.filter(({ file }) => !file.endsWith('/generated.ts')).flatMap(checkSource);
}

function checkSource(source: Source): Problem[] {
  if (isTest(source.file)) return checkFileLines(source, TEST_FILE_LINES);
  return [...checkFileLines(source, FILE_LINES), ...checkFunctions(source), ...checkTypeHoles(source)];
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.startsWith('test/') || /^packages\/[^/]+\/test\//.test(file);
}

function checkFileLines(source: Source, limit: number): Problem[] {
  const lines = source.text.replace(/\n$/, '').split('\n').length;
  if (lines <= limit) return [];
  return [{ file: source.file, line: limit + 1, message: `file has ${lines} lines, more than ${limit}` }];
}

function checkFunctions(source: Source): Problem[] {
  const problems: Problem[] = [];
  const groups: FunctionNode[] = [];
  const functions: FunctionNode[] = [];
  const report = (offset: number, message: string) =>
    problems.push({ file: source.file, line: source.lineOf(offset), message });
  const enter = (node: FunctionNode) => {
    functions.push(node);
    const count = node.params.filter((param) => !(param.type === 'Identifier' && param.name === 'this')).length;
    if (count > PARAMETERS) report(node.start, `${count} parameters, more than ${PARAMETERS}: take an options type`);
  };
  const enterSignature = (node: { readonly params: readonly unknown[]; readonly start: number }) => {
    const count = node.params.length;
    if (count > PARAMETERS) report(node.start, `${count} parameters, more than ${PARAMETERS}: take an options type`);
  };
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    TSFunctionType: enterSignature,
    TSMethodSignature: enterSignature,
    CallExpression: (node) => {
      const last = node.arguments.at(-1);
      if (isDescribe(node.callee) && last?.type === 'ArrowFunctionExpression') groups.push(last);
    },
  }).visit(source.program);
  for (const node of functions) {
    const lines = countLines(source, node, groups);
    if (lines > FUNCTION_LINES) report(node.start, `function has ${lines} lines, more than ${FUNCTION_LINES}`);
  }
  return problems;
}

/** The lines of a function without those of the `describe` callbacks in it; 0 for such a callback. */
function countLines(source: Source, node: FunctionNode, groups: readonly FunctionNode[]): number {
  const span = (part: Node) => source.lineOf(part.end) - source.lineOf(part.start) + 1;
  if (groups.includes(node)) return 0;
  const inside = groups.filter((group) => group.start > node.start && group.end <= node.end);
  const outermost = inside.filter(
    (group) => !inside.some((other) => other.start < group.start && other.end >= group.end),
  );
  return span(node) - outermost.reduce((sum, group) => sum + span(group) - 1, 0);
}

function isDescribe(callee: Node): boolean {
  if (callee.type === 'Identifier') return callee.name === 'describe';
  if (callee.type === 'MemberExpression') return isDescribe(callee.object);
  return callee.type === 'CallExpression' && isDescribe(callee.callee);
}

function checkTypeHoles(source: Source): Problem[] {
  const problems: Problem[] = [];
  const report = (offset: number, what: string) => {
    const line = source.lineOf(offset);
    if (!hasReason(source, line)) {
      problems.push({
        file: source.file,
        line,
        message: `${what} without a reason in a comment on this or the previous line`,
      });
    }
  };
  new Visitor({
    TSAnyKeyword: (node) => report(node.start, '`any`'),
    TSNonNullExpression: (node) => report(node.end, 'non-null `!`'),
    PropertyDefinition: (node) => {
      if (node.definite) report(node.start, 'definite `!`');
    },
    VariableDeclarator: (node) => {
      if (node.definite) report(node.start, 'definite `!`');
    },
  }).visit(source.program);
  return problems;
}

function hasReason(source: Source, line: number): boolean {
  return source.comments.some((comment) => {
    const last = source.lineOf(comment.end);
    return comment.value.trim() !== '' && source.lineOf(comment.start) <= line && last >= line - 1;
  });
}
