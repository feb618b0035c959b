/**
 * An edit of a file as a patch: what was there, what is there instead, and the lines both share at their ends. Where in
 * the file it lies is not recorded: its lines count from 1.
 */
export function makeEditPatch({
  path,
  old,
  new: next,
}: {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}): string {
  const before = linesOf(old);
  const after = linesOf(next);
  const shared = Math.min(before.length, after.length);
  let start = 0;
  while (start < shared && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shared - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const lines = [
    ...before.slice(0, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...before.slice(before.length - end).map((line) => ` ${line}`),
  ];
  const name = path.replaceAll(/[\r\n]/g, ' ');
  const head = [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`];
  return `${[...head, `@@ -1,${before.length} +1,${after.length} @@`, ...lines].join('\n')}\n`;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
