import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { digestTree, makeCanary, readTree } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { type AppliedCheckpoint, type ApplyRequest, applyCheckpoint } from '../../../src/workspace/apply/index.ts';
import { readSeen } from '../../../src/workspace/apply/overlap.ts';
import { replaceFiles } from '../../../src/workspace/apply/write-files.ts';
import { makeSite, type Run, type Site } from '../diff/fixture.ts';

const NOW_MS = 1_760_000_000_000;

function request(site: Site, run: Run, more: Partial<ApplyRequest> = {}): ApplyRequest {
  const checkpoint = run.checkpoints.at(-1)?.id ?? '';
  return { project: site.project, checkpoint, runId: run.id, base: run.base, takenMs: NOW_MS, ...more };
}

async function apply(site: Site, run: Run, more: Partial<ApplyRequest> = {}): Promise<AppliedCheckpoint> {
  const applied = await applyCheckpoint(request(site, run, more));
  if (isRefusal(applied)) throw new Error(applied.message);
  return applied;
}

/** Everything of the person's but object files and the refs that were asked for. */
function watch(site: Site): () => Record<string, string> {
  return () => {
    const tree: Record<string, string> = {};
    for (const path of readdirSync(site.checkout, { recursive: true, encoding: 'utf8' }) as string[]) {
      const stats = statSync(join(site.checkout, path), { throwIfNoEntry: false });
      if (!stats?.isFile() || path.startsWith('.git/objects/')) continue;
      tree[path] = `${stats.mode.toString(8)} ${stats.mtimeMs} ${readFileSync(join(site.checkout, path), 'latin1')}`;
    }
    return tree;
  };
}

describe('applyCheckpoint', () => {
  test("brings the agent's commits and one commit with loose files, and touches nothing else", async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(`echo c > one; git commit -qam mine; echo staged > two; git add two; echo loose > new; rm dir/x
      echo secret > .env; echo log > x.log; chmod 755 letters; ln -s nowhere dangling; printf '\\0\\1\\2' > bin`);
    await site.script(`git config user.name Ada; git config user.email ada@example.org
      echo mine >> one; echo u > untracked; git add untracked`);
    const look = watch(site);
    const before = look();
    const applied = await apply(site, run);
    const after = look();
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual([`.git/refs/ramet/${run.id}`]);
    expect(applied).toMatchObject({ loose: true, previous: null, branch: null, checkout: null });
    expect(applied.leftOut).toMatchObject({ ignored: 2, nested: 0, links: [] });
    expect(site.git('log', '--format=%s|%an|%ae', `main..${applied.ref}`).split('\n')).toEqual([
      `Work of Ramet session ${run.id}|Ada|ada@example.org`,
      'mine|Agent|agent@example.org',
    ]);
    expect(site.git('diff', '--name-status', `${applied.head}`, applied.commit).split('\n')).toEqual([
      ...['A\tbin', 'A\tdangling', 'D\tdir/x', 'M\tletters', 'A\tnew', 'M\ttwo'],
    ]);
    expect(site.git('ls-tree', applied.commit, 'letters', 'dangling').replaceAll(/ [0-9a-f]{40}/g, '')).toBe(
      '120000 blob\tdangling\n100755 blob\tletters',
    );
    expect(site.git('fsck', '--strict')).toBe('');
    expect(readdirSync(join(site.checkout, '.git/objects/pack')).filter((name) => name.endsWith('.keep'))).toEqual([]);
  });

  test('is the HEAD itself where nothing is loose, survives a collection, and moves on with the run', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one; git commit -qam mine');
    const first = await apply(site, run);
    expect(first).toMatchObject({ loose: false, commit: first.head });
    site.git('gc', '-q', '--prune=now');
    expect(site.git('show', `${first.ref}:one`)).toBe('c');
    await run.turn('echo d > one');
    const second = await apply(site, run);
    expect(second).toMatchObject({ loose: true, previous: first.commit });
    expect(site.git('rev-parse', `${second.ref}~1`)).toBe(first.commit);
  });

  test('is the same commit each time', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one; git commit -qam mine; echo loose > new');
    const first = await apply(site, run);
    const second = await apply(site, run);
    expect(second).toEqual({ ...first, previous: first.commit });
    expect(site.git('log', '-1', '--format=%at %ct', first.ref)).toBe('1760000000 1760000000');
  });

  test('is the same for all who ask for it at once, and a branch is made for one of them', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one');
    const all = await Promise.all(Array.from({ length: 6 }, () => apply(site, run)));
    expect(new Set(all.map(({ commit }) => commit)).size).toBe(1);
    const branches = await Promise.all(
      Array.from({ length: 4 }, () => applyCheckpoint(request(site, run, { branch: 'mine' }))),
    );
    expect(branches.filter((one) => isRefusal(one) && one.code === 'branch_exists')).toHaveLength(3);
    expect(site.git('rev-parse', 'mine')).toBe(all[0]?.commit);
  });

  test('adds only what the repository lacks', async () => {
    const site = await makeSite();
    await site.script('seq 1 20000 > numbers; git add numbers; git commit -qm numbers');
    const run = await site.startRun();
    await run.turn('echo 20001 >> numbers');
    const packs = () => readdirSync(join(site.checkout, '.git/objects/pack'));
    expect(packs()).toEqual([]);
    await apply(site, run);
    const [pack] = packs().filter((name) => name.endsWith('.idx'));
    const listed = site.git('verify-pack', '-v', join('.git/objects/pack', pack ?? '')).split('\n');
    // The commit, its tree and blob, and the old ones that complete the deltas.
    expect(listed.filter((line) => /^[0-9a-f]{40} (?:commit|tree|blob)/.test(line)).length).toBeLessThanOrEqual(5);
  });

  test('makes a new branch, and refuses one that exists, is malformed, or is stood on', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one');
    const applied = await apply(site, run, { branch: 'agent/work' });
    expect(site.git('rev-parse', 'agent/work')).toBe(applied.commit);
    const before = digestTree(join(site.checkout, '.git'));
    for (const [branch, code] of [
      ['agent/work', 'branch_exists'],
      ['main', 'branch_exists'],
      ['agent', 'branch_exists'],
      ['-x', 'bad_usage'],
      ['a..b', 'bad_usage'],
      ['HEAD', 'bad_usage'],
      ['', 'bad_usage'],
      ['@{-1}', 'bad_usage'],
    ] as const) {
      const refused = await applyCheckpoint(request(site, run, { branch }));
      expect(refused, branch).toMatchObject({ kind: 'refusal', code });
    }
    expect(digestTree(join(site.checkout, '.git'))).toBe(before);
    await site.script('git checkout -q --orphan unborn');
    expect(await applyCheckpoint(request(site, run, { branch: 'unborn' }))).toMatchObject({
      code: 'branch_exists',
    });
  });

  test('runs no hook, filter or monitor of a hostile configuration', async () => {
    const site = await makeSite();
    const { script, traces } = makeCanary(site.area);
    const hooks = ['reference-transaction', 'post-index-change', 'post-checkout', 'pre-commit', 'post-rewrite'];
    await site.script(`for h in ${hooks.join(' ')}; do cp ${script} .git/hooks/$h; done; git config core.fsmonitor ${script}
      git config filter.x.clean ${script}; git config filter.x.smudge ${script}; git config filter.x.process ${script}
      git config merge.x.driver ${script}; git config gpg.program ${script}; git config commit.gpgSign true
      git config core.sshCommand ${script}; git config uploadpack.packObjectsHook ${script}; git config core.alternateRefsCommand ${script}
      printf '* filter=x merge=x\\n' > .git/info/attributes`);
    const run = await site.startRun();
    await run.turn(
      `printf '* filter=x merge=x diff=x\\n' > .gitattributes; echo c > one; git config core.fsmonitor ${script}`,
    );
    expect(traces()).toEqual([]);
    const applied = await apply(site, run, { branch: 'b', toCheckout: true });
    expect(applied.checkout?.written).toEqual(['.gitattributes', 'one']);
    expect(applied.unfiltered).toEqual(['.gitattributes', 'one']);
    expect(traces()).toEqual([]);
  });

  test('keeps names that git quotes, and content that git would convert', async () => {
    const site = await makeSite(`git init -q -b main .; printf '*.bat text eol=crlf\\n' > .gitattributes
      printf 'a\\r\\n' > x.bat; echo o > o; git add -A; git commit -qm s`);
    const run = await site.startRun();
    await run.turn(
      `printf 'b\\r\\n' >> x.bat; echo 1 > $'\\377.txt'; echo 2 > $'new\\nline'; echo 3 > ':(top)x'; echo 4 > -dash; echo 5 > '"q"'`,
    );
    const { commit } = await apply(site, run);
    expect(site.git('cat-file', 'blob', `${commit}:x.bat`)).toBe('a\nb');
    const names = site.git('ls-tree', '-r', '-z', '--name-only', commit).split('\0').filter(Boolean);
    expect(names).toHaveLength(8);
    expect(site.git('cat-file', 'blob', `${commit}:new\nline`)).toBe('2');
  });

  test('brings links to other repositories as links and says so', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(`git init -q inner; echo x > inner/f; git -C inner add f; git -C inner commit -qm i; git add inner 2>/dev/null
      git commit -qm link; echo y > inner/f; git clone -q . copy; git add copy 2>/dev/null`);
    const applied = await apply(site, run);
    expect(applied.leftOut.links).toEqual(['copy']);
    expect(applied.leftOut.nested).toBeGreaterThan(0);
    expect(site.git('ls-tree', applied.commit, 'inner', 'copy')).toMatch(/160000 commit .*copy\n160000 commit .*inner/);
  });

  test('works for an unborn HEAD, a detached HEAD, sha256 objects and a linked worktree', async () => {
    const unborn = await makeSite('git init -q -b main .');
    const first = await unborn.startRun();
    await first.turn('echo a > a');
    const made = await applyCheckpoint(request(unborn, first));
    expect(made).toMatchObject({ head: null, loose: true });
    const site = await makeSite(
      'git init -q -b main --object-format=sha256 .; echo a > a; git add a; git commit -qm a',
    );
    const second = await site.startRun();
    await second.turn('git checkout -q --detach; echo b > b; git add b; git commit -qm b');
    const worktree = join(site.area.folder, 'linked');
    site.git('worktree', 'add', '-q', '-b', 'linked', worktree);
    const applied = await apply(site, second, { checkout: worktree, toCheckout: true });
    expect(applied.commit).toHaveLength(64);
    expect(readFileSync(join(worktree, 'b'), 'utf8')).toBe('b\n');
    expect(readTree(site.checkout)).not.toHaveProperty('b');
  });

  test('refuses in a shallow clone that lacks the history, and works in one that has it', async () => {
    const site = await makeSite();
    await site.script('for i in 1 2 3; do echo $i > n; git add n; git commit -qm $i; done');
    const shallow = await makeSite(`git clone -q --depth 2 file://${site.checkout} . 2>/dev/null`);
    const run = await shallow.startRun();
    await run.turn('echo c > one; git commit -qam mine; echo l > loose');
    const applied = await apply(shallow, run);
    expect(shallow.git('log', '--format=%s', applied.ref).split('\n').slice(1)).toEqual(['mine', '3', '2']);
    expect(shallow.git('fsck')).toBe('');
    // Now the person's repository becomes another one that shares nothing with it.
    shallow.git('update-ref', '-d', applied.ref);
    await shallow.script(`git checkout -q --orphan fresh; git commit -qm fresh; git branch -D main; git remote remove origin
      git reflog expire --expire=now --all; rm -f .git/shallow; git gc -q --prune=now`);
    expect(await applyCheckpoint(request(shallow, run))).toMatchObject({ code: 'unsupported_repository' });
    expect(shallow.git('for-each-ref', 'refs/ramet')).toBe('');
  });
});

describe('applyCheckpoint to the checkout', () => {
  test('merges with newer commits and unrelated uncommitted work, without touching the index', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(`sed -i s/^a/A/ letters; git commit -qam mine; rm -r dir/sub; echo n > new; mkdir -p deep/er; echo d > deep/er/f
      chmod 644 run; rm link; ln -s two link; printf '\\0' > bin; echo secret > .env`);
    await site.script(
      'sed -i s/^g/G/ letters; git commit -qam theirs; echo w >> one; echo s >> two; git add two; echo u > u',
    );
    chmodSync(join(site.checkout, 'letters'), 0o600);
    const index = readFileSync(join(site.checkout, '.git/index'));
    const applied = await apply(site, run, { toCheckout: true });
    expect(applied.checkout).toMatchObject({
      written: ['bin', 'deep/er/f', 'letters', 'link', 'new', 'run'],
      deleted: ['dir/sub/y'],
    });
    expect(readFileSync(join(site.checkout, '.git/index')).equals(index)).toBe(true);
    expect(readFileSync(join(site.checkout, 'letters'), 'utf8')).toBe('A\nb\nc\nd\ne\nf\nG\n');
    expect(statSync(join(site.checkout, 'letters')).mode & 0o777).toBe(0o600);
    expect(site.git('status', '--porcelain', '--untracked-files=all').split('\n').sort()).toEqual([
      ...[
        ' D dir/sub/y',
        ' M letters',
        ' M link',
        ' M one',
        ' M run',
        '?? bin',
        '?? deep/er/f',
        '?? new',
        '?? u',
        'M  two',
      ],
    ]);
    expect(readdirSync(site.checkout).filter((name) => name.startsWith('.ramet'))).toEqual([]);
  });

  test.each([
    ['an unstaged edit', 'echo w >> one', 'one'],
    ['a staged edit', 'echo w >> one; git add one', 'one'],
    ['a staged edit with the old file', 'echo w >> one; git add one; git show HEAD:one > one', 'one'],
    ['a deleted file', 'rm one', 'one'],
    ['an untracked file in the way', 'echo mine > new', 'new'],
    ['an ignored file in the way', 'echo new >> .git/info/exclude; echo mine > new', 'new'],
    ['a folder in the way', 'mkdir new; echo mine > new/f', 'new'],
    ['a link in the way of a folder', 'ln -s dir folder', 'folder/f'],
    ['a file in the way of a folder', 'echo mine > folder', 'folder/f'],
    ['a change git was told to overlook', 'git update-index --assume-unchanged one; echo w >> one', 'one'],
    ['a file left out by skip-worktree', 'git update-index --skip-worktree one; rm one', 'one'],
    ['a commit that changed the same', 'echo theirs > one; git commit -qam theirs', 'one'],
    ['a commit that deleted it', 'git rm -q one; git commit -qam theirs', 'one'],
    ['a mode change', 'chmod 755 one', 'one'],
  ])('refuses on %s and changes nothing', async (_, script, path) => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo agent > one; echo agent > new; mkdir folder; echo f > folder/f');
    await site.script(script);
    const before = digestTree(site.checkout);
    const refused = await applyCheckpoint(request(site, run, { toCheckout: true, branch: 'b' }));
    expect(refused).toMatchObject({ kind: 'refusal', code: 'apply_conflict', data: { paths: [path] } });
    expect(digestTree(site.checkout)).toBe(before);
  });

  test.each([
    ['a whole one', 'git init -q --bare in/bare; touch in/bare/objects/x in/bare/refs/x', ['in/bare']],
    ['one whose objects are elsewhere', 'mkdir a; cd a; echo ref: refs/heads/x > HEAD; echo ../b > commondir', ['a']],
    ['one of links', 'mkdir a o r; cd a; echo ref: refs/heads/x > HEAD; ln -s ../o objects; ln -s ../r refs', ['a']],
    ['a config in one that is there', 'echo x >> mine.git/config', ['mine.git']],
    ['a hook in one that is there', 'mkdir mine.git/hooks; echo x > mine.git/hooks/update', ['mine.git']],
  ])('refuses %s for a bare repository and changes nothing', async (_, script, paths) => {
    const site = await makeSite();
    await site.script(
      'git init -q --bare --template= mine.git; touch mine.git/objects/x mine.git/refs/x; git add .; git commit -qm bare',
    );
    const run = await site.startRun();
    await run.turn(script);
    const before = digestTree(site.checkout);
    const refused = await applyCheckpoint(request(site, run, { toCheckout: true }));
    expect(refused).toMatchObject({ kind: 'refusal', code: 'apply_conflict', data: { paths } });
    expect(digestTree(site.checkout)).toBe(before);
  });

  test('writes files of a bare repository that do not make one', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(
      'mkdir -p a/refs b/objects; echo 1 > a/HEAD; echo 2 > a/refs/x; echo 3 > b/objects/x; echo 4 > HEAD',
    );
    const { checkout } = await apply(site, run, { toCheckout: true });
    expect(checkout?.written).toEqual(['HEAD', 'a/HEAD', 'a/refs/x', 'b/objects/x']);
  });

  test('fits onto the uncommitted changes the run began with, and does nothing the second time', async () => {
    const site = await makeSite();
    await site.script(`printf 'mine\\n' > mine.txt; echo w >> one; sed -i s/^a/A/ letters; git mv two three; rm dir/x
      printf 'q\\n' > "$(printf 'new\\nline')"; ln -s one mylink; git add letters`);
    const run = await site.startRun({ allowDirty: true });
    const { id: opening } = await run.turn('true');
    await run.turn(`echo sub > sub.txt; echo agent >> one; sed -i s/^g/G/ letters; echo agent >> three
      rm mylink; echo 2 >> "$(printf 'new\\nline')"`);
    const index = readFileSync(join(site.checkout, '.git/index'));
    const applied = await apply(site, run, { toCheckout: true, opening });
    expect(applied.checkout).toMatchObject({
      written: ['letters', 'new\\nline', 'one', 'sub.txt', 'three'].map((name) => name.replace('\\n', '\\x0a')),
      deleted: ['mylink'],
    });
    expect(readFileSync(join(site.checkout, '.git/index')).equals(index)).toBe(true);
    expect(readTree(site.checkout)).toMatchObject({
      one: '644 one\nw\nagent\n',
      letters: '644 A\nb\nc\nd\ne\nf\nG\n',
      three: '644 two\nagent\n',
      'mine.txt': '644 mine\n',
    });
    const look = watch(site);
    const before = look();
    const again = await apply(site, run, { toCheckout: true, opening });
    expect(again).toMatchObject({ commit: applied.commit, previous: applied.commit });
    expect(again.checkout).toMatchObject({ written: [], deleted: [] });
    expect(look()).toEqual(before);
  });

  test('refuses where the person went on with what the agent changed, too, and not where only they did', async () => {
    const site = await makeSite();
    await site.script('echo w >> one; echo mine > mine.txt');
    const run = await site.startRun({ allowDirty: true });
    const { id: opening } = await run.turn('true');
    await run.turn('echo agent >> one; echo n > new');
    await site.script('echo more >> mine.txt');
    await site.script('echo more >> one');
    const before = digestTree(site.checkout);
    const refused = await applyCheckpoint(request(site, run, { toCheckout: true, opening }));
    expect(refused).toMatchObject({ code: 'apply_conflict', data: { paths: ['one'] } });
    expect(digestTree(site.checkout)).toBe(before);
    await site.script('git checkout -q one; echo w >> one');
    expect((await apply(site, run, { toCheckout: true, opening })).checkout?.written).toEqual(['new', 'one']);
    expect(readTree(site.checkout)).toMatchObject({ 'mine.txt': '644 mine\nmore\n' });
  });

  test('fits where the person has committed meanwhile what the run began with', async () => {
    const site = await makeSite();
    await site.script('echo w >> one; echo mine > mine.txt');
    const run = await site.startRun({ allowDirty: true });
    const { id: opening } = await run.turn('true');
    await run.turn('echo agent >> one; git add -A; git commit -qm all');
    await site.script('git add -A; git commit -qm mine; rm mine.txt; git commit -qam gone');
    const applied = await apply(site, run, { toCheckout: true, opening });
    expect(applied.checkout).toMatchObject({ written: ['one'], deleted: [] });
    expect(readTree(site.checkout)).toMatchObject({ one: '644 one\nw\nagent\n' });
  });

  test("lets folders and files, links and files take each other's place", async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(
      'rm -r dir; echo file > dir; rm one; mkdir one; echo in > one/in; rm link; mkdir link; echo l > link/l; rm two; ln -s dir two',
    );
    await apply(site, run, { toCheckout: true });
    expect((await apply(site, run, { toCheckout: true })).checkout).toMatchObject({ written: [], deleted: [] });
    const tree = readTree(site.checkout);
    expect(tree).toMatchObject({ dir: '644 file\n', 'one/in': '644 in\n', 'link/l': '644 l\n', two: '-> dir' });
  });

  test("keeps a folder with the person's own file in it out of the way of a file", async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('rm -r dir; echo file > dir');
    await site.script('echo mine > dir/mine');
    const before = digestTree(site.checkout);
    expect(await applyCheckpoint(request(site, run, { toCheckout: true }))).toMatchObject({ code: 'apply_conflict' });
    expect(digestTree(site.checkout)).toBe(before);
  });

  test('puts everything back when a file changes while it is being written', async () => {
    const site = await makeSite();
    const merge = {
      tree: '',
      taken: new Map(),
      changes: [
        { path: 'dir/sub/y', oldMode: '100644', newMode: null },
        { path: 'new/deep', oldMode: null, newMode: '100644' },
        { path: 'one', oldMode: '100644', newMode: '100644' },
      ],
    };
    const seen = new Map(merge.changes.map(({ path }) => [path, readSeen(site.checkout, path)]));
    writeFileSync(join(site.checkout, 'one'), 'the person saved meanwhile');
    const staged = join(site.area.folder, 'staged');
    await site.script(`mkdir -p ${staged}/new; echo x > ${staged}/new/deep; echo agent > ${staged}/one`);
    const before = readTree(site.checkout);
    expect(() => replaceFiles({ checkout: site.checkout, merge, seen, staged })).toThrow(/"one" changed while/);
    expect(readTree(site.checkout)).toEqual(before);
    expect(readdirSync(site.checkout).filter((name) => name.startsWith('.ramet') || name === 'new')).toEqual([]);
  });

  test("writes line ends the person's git would write", async () => {
    const site = await makeSite(`git init -q -b main .; printf '*.bat text eol=crlf\\n' > .gitattributes
      printf 'a\\r\\nb\\r\\n' > x.bat; git add -A; git commit -qm s`);
    const run = await site.startRun();
    await run.turn("printf 'c\\r\\n' >> x.bat");
    await apply(site, run, { toCheckout: true });
    expect(readFileSync(join(site.checkout, 'x.bat'), 'latin1')).toBe('a\r\nb\r\nc\r\n');
    expect(site.git('diff', '--stat')).toContain('1 insertion(+)');
  });
});
