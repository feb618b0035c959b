// Keeps packages/core pure: no clock, no randomness, no I/O, nothing asynchronous, no locale.
//
// 1. Judges the syntax tree, so words in comments and strings are free.
// 2. Is one of three proofs; the others are core's tsconfig (no node and no DOM types) and a
//    bundle of core that runs without either.

import { type Node, Visitor } from 'oxc-parser';
import { listImports, type Problem, readSources, type Source } from './source.ts';

const FORBIDDEN_MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID']);
const FORBIDDEN_OBJECTS = new Set(['process', 'console', 'globalThis', 'Intl']);
const FORBIDDEN_CALLS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'require']);
/** Methods whose answer depends on the machine's locale or time zone. */
const LOCALE_METHODS = /^(localeCompare|toLocale\w*|getTimezoneOffset)$/;

/** Every impure expression in core. */
export function checkPurity(root: string): Problem[] {
  return readSources(root, 'packages/core/src').flatMap(checkSource);
}

function checkSource(source: Source): Problem[] {
  const problems: Problem[] = listImports(source)
    .filter((imported) => imported.name.startsWith('node:'))
    .map(({ name, line }) => ({ file: source.file, line, message: `core is pure, but imports '${name}'` }));
  const report = (node: { readonly start: number }, what: string) =>
    problems.push({ file: source.file, line: source.lineOf(node.start), message: `core is pure, but uses ${what}` });
  const judgeFunction = (node: Node & { async: boolean }) => {
    if (node.async) report(node, 'async');
  };
  new Visitor({
    MemberExpression: (node) => {
      const what = judgeMember(node);
      if (what !== undefined) report(node, what);
    },
    NewExpression: (node) => {
      if (isNamed(node.callee, 'Date') && node.arguments.length === 0) report(node, 'new Date() without an argument');
    },
    CallExpression: (node) => {
      if (isNamed(node.callee, 'Date')) report(node, 'Date()');
      if (node.callee.type === 'Identifier' && FORBIDDEN_CALLS.has(node.callee.name))
        report(node, `${node.callee.name}()`);
    },
    AwaitExpression: (node) => report(node, 'await'),
    ForOfStatement: (node) => {
      if (node.await) report(node, 'for await');
    },
    ImportExpression: (node) => report(node, 'import()'),
    FunctionDeclaration: judgeFunction,
    FunctionExpression: judgeFunction,
    ArrowFunctionExpression: judgeFunction,
  }).visit(source.program);
  return problems.sort((a, b) => a.line - b.line);
}

function judgeMember(node: Extract<Node, { type: 'MemberExpression' }>): string | undefined {
  const member = node.property.type === 'Identifier' && !node.computed ? node.property.name : undefined;
  if (member !== undefined && LOCALE_METHODS.test(member)) return `.${member}, which depends on the machine`;
  if (node.object.type !== 'Identifier') return undefined;
  if (FORBIDDEN_OBJECTS.has(node.object.name)) return `${node.object.name}.`;
  const full = `${node.object.name}.${member}`;
  return FORBIDDEN_MEMBERS.has(full) ? full : undefined;
}

function isNamed(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
