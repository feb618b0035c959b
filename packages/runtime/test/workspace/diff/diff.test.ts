import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestTree, makeCanary } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { diffCheckpoint } from '../../../src/workspace/diff/index.ts';
import { collect, makeSite, type Site } from './fixture.ts';

async function diff(site: Site, to: string, ignored = false) {
  return diffCheckpoint({ project: site.project, from: { kind: 'commit', id: site.base() }, to, ignored });
}

describe('diffCheckpoint', () => {
  test('lists tracked and untracked changes with renames, modes, links and binary files', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } = await run.turn(`printf 'A\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n' > letters; git mv dir/x dir/renamed; rm two
      chmod 644 run; rm link; ln -s two link; printf '\\0\\1' > bin; printf 'n\\n' > new; git add letters; git commit -qm mine
      rm one; ln -s letters one`);
    const { files, hidden } = await diff(site, id);
    const shown = files.map((file) => [
      file.path,
      file.status,
      file.kind,
      file.additions,
      file.deletions,
      file.oldPath,
    ]);
    expect(shown).toEqual([
      ['bin', 'added', 'untracked', null, null, null],
      ['dir/renamed', 'renamed', 'tracked', 0, 0, 'dir/x'],
      ['letters', 'modified', 'tracked', 2, 1, null],
      ['link', 'modified', 'tracked', 1, 1, null],
      ['new', 'added', 'untracked', 1, 0, null],
      ['one', 'type_changed', 'tracked', 1, 1, null],
      ['run', 'modified', 'tracked', 0, 0, null],
      ['two', 'deleted', 'tracked', 0, 1, null],
    ]);
    expect(files.find((file) => file.path === 'bin')?.binary).toBe(true);
    expect(files.find((file) => file.path === 'run')).toMatchObject({ oldMode: '100755', newMode: '100644' });
    expect(hidden).toEqual({ ignored: 0, nested: 0 });
  });

  test('gives the patch git gives, which applies to the base', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } = await run.turn(`printf 'changed\\n' > one; printf 'n\\n' > new; rm dir/x; chmod 755 two`);
    const patch = await collect((await diff(site, id)).patch());
    expect(patch).toContain('--- a/one\n+++ b/one\n');
    writeFileSync(join(site.area.folder, 'p'), patch, 'latin1');
    site.git('apply', join(site.area.folder, 'p'));
    expect(site.git('status', '--porcelain')).toBe(' D dir/x\n M one\n M two\n?? new');
  });

  test('hides ignored files, counts them, and shows them when asked', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } = await run.turn(
      `echo s > .env; mkdir build; echo o > build/o; echo l > x.log; echo u > u; git add -f x.log`,
    );
    const without = await diff(site, id);
    expect(without.files.map((file) => [file.path, file.kind])).toEqual([
      ['u', 'untracked'],
      ['x.log', 'tracked'],
    ]);
    expect(without.hidden).toEqual({ ignored: 2, nested: 0 });
    const all = await diff(site, id, true);
    expect(all.files.map((file) => file.kind)).toEqual(['ignored', 'ignored', 'untracked', 'tracked']);
  });

  test('leaves out what the person had not committed when the run began', async () => {
    const site = await makeSite();
    await site.script('echo mine > mine.txt; echo w >> one; echo w >> two; echo s > .env; echo u > undone');
    const run = await site.startRun({ allowDirty: true });
    const { id: opening } = await run.turn('true');
    const { id } = await run.turn(
      'echo sub > sub.txt; echo agent >> one; git checkout -q two; rm undone; echo t > .env',
    );
    const request = { project: site.project, from: { kind: 'commit', id: site.base() } as const, opening, to: id };
    const compared = await diffCheckpoint(request);
    expect(compared.files.map(({ path, status, additions }) => [path, status, additions])).toEqual([
      ['one', 'modified', 1],
      ['sub.txt', 'added', 1],
      ['two', 'modified', 0],
      ['undone', 'deleted', 0],
    ]);
    expect(compared.hidden).toEqual({ ignored: 1, nested: 0 });
    expect(await collect(compared.patch())).toContain(' one\n w\n+agent\n');
    expect((await diffCheckpoint({ ...request, to: opening })).files).toEqual([]);
  });

  test('compares two checkpoints, of one run or of two', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const first = await run.turn('echo 1 > new; echo e > .env');
    const other = await site.forkRun(run);
    const second = await run.turn('echo 2 > new; rm .env; git add -A; git commit -qm c');
    const third = await other.turn('echo 3 > new; echo t > three');
    const between = await diffCheckpoint({
      project: site.project,
      from: { kind: 'checkpoint', id: first.id },
      to: second.id,
    });
    expect(between.files.map((file) => [file.path, file.status])).toEqual([['new', 'modified']]);
    expect(between.hidden.ignored).toBe(1);
    const across = await diffCheckpoint({
      project: site.project,
      from: { kind: 'checkpoint', id: second.id },
      to: third.id,
    });
    expect(across.files.map((file) => file.path)).toEqual(['new', 'three']);
    expect(await collect(across.patch())).toContain('-2\n+3\n');
  });

  test('keeps every name apart and says which are not UTF-8', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } =
      await run.turn(`echo 1 > $'\\377.txt'; echo 2 > $'\\376.txt'; echo 3 > $'new\\nline'; echo 4 > ' lead'
      echo 5 > -dash; echo 6 > ':(top)x'; echo 7 > '*'; echo 8 > $'esc\\e[2J'; echo 9 > '"q"'; echo 10 > 公; echo 11 > 'git~1'
      git rm -q --cached one; echo t > $'\\377.log'; git add -f $'\\377.log'`);
    const { files } = await diff(site, id);
    expect(new Set(files.map((file) => file.shown)).size).toBe(12);
    expect(files.filter((file) => !file.utf8).map((file) => file.shown)).toEqual([
      '\\xfe.txt',
      '\\xff.log',
      '\\xff.txt',
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is what is tested.
    for (const file of files) expect(file.shown).not.toMatch(/[\u0000-\u001f\u007f]/);
    expect(await collect((await diff(site, id)).patch())).toContain('+11\n');
  });

  test('says nothing of line ends that only the working tree has', async () => {
    const site = await makeSite(`git init -q -b main .; printf '*.bat text eol=crlf\\n*.i ident\\n' > .gitattributes
      printf 'a\\r\\nb\\r\\n' > x.bat; printf '$Id$\\n' > y.i; echo z > z; git add -A; git commit -qm s`);
    const run = await site.startRun();
    const same = await run.turn('cat -A x.bat | grep -q M; echo more > z');
    expect((await diff(site, same.id)).files.map((file) => file.path)).toEqual(['z']);
    const { id } = await run.turn("printf 'c\\r\\n' >> x.bat");
    const [file] = (await diff(site, id)).files;
    expect(file).toMatchObject({ path: 'x.bat', additions: 1, deletions: 0 });
  });

  test('starts no program the agent or the person named, and no attribute hides a change', async () => {
    const site = await makeSite();
    const { script, traces } = makeCanary(site.area);
    const configure = `git config diff.external ${script}; git config diff.x.textconv ${script}; git config diff.x.command ${script}
      git config filter.x.clean ${script}; git config filter.x.smudge ${script}; git config filter.x.process ${script}
      git config core.fsmonitor ${script}; git config core.pager ${script}; git config core.hooksPath ${site.area.folder}/hooks
      mkdir -p ${site.area.folder}/hooks; for h in post-index-change reference-transaction; do cp ${script} ${site.area.folder}/hooks/$h; done`;
    await site.script(`${configure}; printf '* diff=x filter=x\\n' > .git/info/attributes`);
    const run = await site.startRun();
    const { id } = await run.turn(
      `${configure}; printf '* diff=x filter=x -diff\\n' > .gitattributes; echo hidden? > one; printf '* filter=x\\n' > .git/info/attributes`,
    );
    const before = digestTree(site.checkout);
    const made = await diff(site, id);
    expect(await collect(made.patch())).toContain('+hidden?\n');
    expect(traces()).toEqual([]);
    expect(digestTree(site.checkout)).toBe(before);
  });

  test('tells links to other repositories from files inside them', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } = await run.turn(`git init -q inner; echo x > inner/f; git -C inner add f; git -C inner commit -qm i
      git clone -q . copy; git add copy 2>/dev/null`);
    const { files, hidden } = await diff(site, id);
    expect(files.map((file) => [file.path, file.newMode])).toEqual([['copy', '160000']]);
    expect(hidden.nested).toBeGreaterThanOrEqual(2);
  });

  test('takes a sparse checkout and a file too large to hold for no deletion', async () => {
    const site = await makeSite();
    await site.script('head -c 3000000 /dev/zero > big; git add big; git commit -qm big');
    const run = await site.startRun();
    const { id } =
      await run.turn(`git sparse-checkout set --cone dir >/dev/null 2>&1; git rm -q --cached --sparse big || true
      test ! -e one || true`);
    const { files } = await diff(site, id);
    expect(files.filter((file) => file.status === 'deleted').map((file) => file.path)).toEqual([]);
  });

  test('works in a sha256 repository and in one without a commit', async () => {
    const site = await makeSite(
      'git init -q -b main --object-format=sha256 .; echo a > a; git add a; git commit -qm a',
    );
    const run = await site.startRun();
    const { id } = await run.turn('echo b > b');
    expect((await diff(site, id)).files.map((file) => file.path)).toEqual(['b']);
    const unborn = await makeSite('git init -q -b main .');
    const second = await (await unborn.startRun()).turn('echo b > b');
    const made = await diffCheckpoint({ project: unborn.project, from: null, to: second.id });
    expect(made.files.map((file) => [file.path, file.status])).toEqual([['b', 'added']]);
  });

  test('leaves no scratch folder behind when the patch is not read to its end', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const { id } = await run.turn('seq 100000 > long');
    const scratch = join(site.area.folder, 'scratch');
    mkdirSync(scratch);
    const saved = process.env.TMPDIR;
    process.env.TMPDIR = scratch;
    try {
      for await (const _ of (await diff(site, id)).patch()) break;
      expect(readdirSync(scratch)).toEqual([]);
    } finally {
      if (saved === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = saved;
    }
  });
});
