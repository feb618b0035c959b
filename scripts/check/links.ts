// Checks that every relative link in a Markdown page points at a file or folder that exists.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listFiles, type Problem } from './source.ts';

const INLINE_LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const REFERENCE = /^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i;

/** Every relative link to a file that is not there. */
export function checkLinks(root: string): Problem[] {
  const pages = listFiles(root, '').filter((file) => file.endsWith('.md'));
  return pages.flatMap((file) => checkPage(root, file));
}

function checkPage(root: string, file: string): Problem[] {
  const problems: Problem[] = [];
  for (const { text, line } of readProse(readFileSync(join(root, file), 'utf8'))) {
    for (const target of listTargets(text)) {
      const message = judgeTarget(root, file, target);
      if (message !== undefined) problems.push({ file, line, message });
    }
  }
  return problems;
}

/** The lines outside fenced code, without inline code. */
function readProse(page: string): { text: string; line: number }[] {
  let fence: string | undefined;
  return page.split('\n').flatMap((text, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
    else if (fence === undefined) return [{ text: text.replace(/`[^`]*`/g, '`'), line: index + 1 }];
    return [];
  });
}

function listTargets(text: string): string[] {
  const matches = [...text.matchAll(INLINE_LINK), ...text.matchAll(REFERENCE)];
  return matches.flatMap((match) => match[1] ?? []).filter((target) => !ELSEWHERE.test(target));
}

function judgeTarget(root: string, file: string, target: string): string | undefined {
  const path = decodeURI(target.replace(/[?#].*$/, ''));
  const resolved = normalize(join(dirname(file), path));
  if (path.startsWith('/') || resolved.startsWith('..')) return `link '${target}' leaves the repository`;
  return existsSync(join(root, resolved)) ? undefined : `link '${target}' points at nothing`;
}
