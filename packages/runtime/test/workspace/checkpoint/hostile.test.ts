import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { runScript, takeFingerprint } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { readCheckpoint, verifyCheckpoint, workspaceDiffers } from '../../../src/workspace/checkpoint/index.ts';
import { INSIDE, makeRequest, makeSite, type Site } from './fixture.ts';

/** A program that leaves a mark when it runs anywhere but in the sandbox. */
function makeCanary(site: Site): { program: string; hits(): number } {
  const program = join(site.folder, 'canary');
  const mark = join(site.folder, 'canary-hits');
  writeFileSync(program, `#!/bin/sh\n[ -n "$${INSIDE}" ] || echo "$0 $*" >>'${mark}'\ncat\n`);
  chmodSync(program, 0o755);
  return { program, hits: () => (existsSync(mark) ? readFileSync(mark, 'utf8').split('\n').length - 1 : 0) };
}

const PROGRAM_KEYS =
  `core.fsmonitor core.hooksPath core.sshCommand core.pager core.editor core.alternateRefsCommand diff.external
  diff.x.textconv diff.x.command filter.x.clean filter.x.smudge filter.x.process gpg.program credential.helper alias.cat-file alias.pack-objects
  uploadpack.packObjectsHook merge.x.driver sequence.editor core.gitProxy core.askPass`.split(/\s+/);

describe('a hostile git directory', () => {
  it('runs nothing on the host and redirects nothing', async () => {
    const site = await makeSite();
    const canary = makeCanary(site);
    const workspace = await site.addRun();
    const { path } = workspace;
    await runScript(path, 'echo x >>a; git add a; git commit -qm private; echo y >>b; git tag -a -m t t');
    const config = PROGRAM_KEYS.map((key) => `git config ${key} '${canary.program}'`).join('\n');
    writeFileSync(join(site.folder, 'included'), `[core]\n\tfsmonitor = ${canary.program}\n`);
    await runScript(
      path,
      `${config}
      mkdir -p .git/hooks .git/info; for h in post-index-change reference-transaction post-checkout pre-auto-gc; do cp '${canary.program}' .git/hooks/$h; done
      printf '* filter=x diff=x merge=x\\n' >.git/info/attributes; cp .git/info/attributes .gitattributes
      git config filter.x.required true; git config extensions.worktreeConfig true; cp .git/config .git/config.worktree
      git config include.path '${site.folder}/included'; git config core.worktree /`,
    );
    const record = await site.capture(workspace);
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    expect(await workspaceDiffers({ ...makeRequest(site.handle(child)), checkpoint: record.id })).toBe(false);
    await site.capture(site.handle(child));
    expect(canary.hits()).toBe(0);
    expect(readFileSync(join(child, 'b'), 'utf8')).toBe('b\ny\n');
    expect(readFileSync(join(child, '.git/config'), 'utf8')).toBe(readFileSync(join(path, '.git/config'), 'utf8'));
    await runScript(child, `'${canary.program}' </dev/null`);
    expect(canary.hits(), 'the canary can sing').toBe(1);
  });

  it.each([
    ['config', 'rm .git/config; ln -s "$SECRET" .git/config'],
    ['HEAD', 'rm .git/HEAD; ln -s "$SECRET" .git/HEAD'],
    ['packed-refs', 'rm -f .git/packed-refs; ln -s "$SECRET" .git/packed-refs'],
    ['an index', 'rm .git/index; ln -s "$SECRET" .git/index'],
    ['info/exclude', 'mkdir -p .git/info; rm -f .git/info/exclude; ln -s "$SECRET" .git/info/exclude'],
    ['.gitignore', 'rm .gitignore; ln -s "$SECRET" .gitignore'],
    ['refs', 'mv .git/refs r; ln -s "$(dirname "$SECRET")" .git/refs'],
    ['logs', 'rm -rf .git/logs; ln -s "$(dirname "$SECRET")" .git/logs'],
    ['.git itself', 'rm -rf .git; ln -s "$(dirname "$SECRET")" .git'],
    ['objects', 'rm -rf .git/objects; ln -s "$(dirname "$SECRET")" .git/objects'],
    ['a folder of files', 'rm -r dir; ln -s "$(dirname "$SECRET")" dir'],
    ['a FIFO for HEAD', 'rm .git/HEAD; mkfifo .git/HEAD'],
    ['a FIFO for an index', 'rm .git/index; mkfifo .git/index'],
    ['a FIFO for .gitignore', 'rm .gitignore; mkfifo .gitignore'],
    ['a git file that points away', 'rm -rf .git; echo "gitdir: $(dirname "$SECRET")" >.git'],
  ])('that has a way out as %s brings nothing in from there', async (_, script) => {
    const site = await makeSite();
    const outside = join(site.folder, 'outside');
    mkdirSync(join(outside, 'objects'), { recursive: true });
    mkdirSync(join(outside, 'refs'));
    writeFileSync(join(outside, 'secret'), 'TOP-SECRET');
    writeFileSync(join(outside, 'HEAD'), 'ref: refs/heads/TOP-SECRET\n');
    const workspace = await site.addRun();
    await runScript(workspace.path, `SECRET='${outside}/secret'\n${script}`);
    const before = readdirSync(outside);
    const record = await site.capture(workspace);
    const child = await site.restore(record.id);
    expect(await runScript(child, 'grep -rl --exclude-dir=objects TOP-SECRET . || true')).toBe('');
    const dump = `git -C '${site.project.storeGit}' cat-file --batch-all-objects --batch | grep -c TOP-SECRET || true`;
    expect((await runScript(site.folder, dump)).trim()).toBe('0');
    expect(readdirSync(outside)).toEqual(before);
  });

  it('keeps what it links to as a link, and follows it in neither direction', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    writeFileSync(join(site.folder, 'victim'), 'untouched');
    await runScript(workspace.path, `rm a; ln -s '${site.folder}/victim' a; rm -r dir; ln -s '${site.folder}' dir`);
    const child = await site.restore((await site.capture(workspace)).id);
    expect(await takeFingerprint(child)).toEqual(await takeFingerprint(workspace.path));
    expect(readFileSync(join(site.folder, 'victim'), 'utf8')).toBe('untouched');
  });

  it('names paths outside in its index without reaching them', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const index = join(workspace.path, '.git/index');
    // Same length, so that only the name changes; git's checksum of an index is not verified by most commands.
    const bytes = readFileSync(index);
    const at = bytes.indexOf('dir/sub/y');
    bytes.write('../../../', at, 'latin1');
    writeFileSync(index, bytes);
    const record = await site.capture(workspace);
    const { entries } = await readCheckpoint(site.project, record.id);
    expect(entries.filter((entry) => entry.path.includes('..'))).toEqual([]);
  });
});

describe('objects that are not what they say', () => {
  const makePrivate = 'echo private >p; git add p; git commit -qm private';
  const findBlob = (path: string) => runScript(path, 'git rev-parse HEAD:p');

  it.each([
    [
      'forged',
      (bytes: Buffer) =>
        deflateSync(Buffer.concat([Buffer.from('blob 7\0'), Buffer.from('forged\n'), bytes.subarray(0, 0)])),
    ],
    ['truncated', (bytes: Buffer) => bytes.subarray(0, 5)],
    ['empty', () => Buffer.alloc(0)],
  ])('a %s loose object fails the checkpoint by name and becomes no content', async (_, damage) => {
    const site = await makeSite();
    for (const kind of ['bubblewrap', 'none'] as const) {
      const workspace = await site.addRun(kind);
      await runScript(workspace.path, makePrivate);
      const oid = (await findBlob(workspace.path)).trim();
      const file = join(workspace.path, '.git/objects', oid.slice(0, 2), oid.slice(2));
      chmodSync(file, 0o600);
      writeFileSync(file, damage(readFileSync(file)));
      await expect(site.capture(workspace)).rejects.toMatchObject({ code: 'checkpoint_failed' });
      const held = `git -C '${site.project.storeGit}' cat-file --batch-all-objects --batch | grep -c forged || true`;
      expect((await runScript(site.folder, held)).trim()).toBe('0');
    }
  });

  it('a missing object that HEAD needs fails the checkpoint, one only a reflog mentions does not', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, `${makePrivate}; git commit -q --amend -m again`);
    const [gone = '', head = ''] = (await runScript(workspace.path, 'git rev-parse HEAD@{1} HEAD')).trim().split('\n');
    const remove = (oid: string) => rmSync(join(workspace.path, '.git/objects', oid.slice(0, 2), oid.slice(2)));
    remove(gone);
    const record = await site.capture(workspace);
    expect(await takeFingerprint(await site.restore(record.id))).toEqual(await takeFingerprint(workspace.path));
    remove(head);
    rmSync(join(site.project.storeGit, 'objects/pack'), { recursive: true });
    mkdirSync(join(site.project.storeGit, 'objects/pack'));
    await expect(site.capture(workspace)).rejects.toThrow(head);
  });

  it('a pack with an object whose history is cut off is not taken', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `${makePrivate}; echo 2 >>p; git commit -qam two; git rev-parse HEAD~1 >.git/shallow`,
    );
    const parent = (await runScript(workspace.path, 'cat .git/shallow')).trim();
    rmSync(join(workspace.path, '.git/objects', parent.slice(0, 2), parent.slice(2)));
    await expect(site.capture(workspace)).rejects.toMatchObject({ code: 'checkpoint_failed' });
  });

  it('objects borrowed from a place the agent added come along', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `git init -q ../elsewhere; cd ../elsewhere; echo e >e; git add e; git commit -qm e; cd - >/dev/null
      echo "$PWD/../elsewhere/.git/objects" >>.git/objects/info/alternates; git update-ref refs/heads/borrowed "$(git -C ../elsewhere rev-parse HEAD)"`,
    );
    const before = await takeFingerprint(workspace.path);
    const record = await site.capture(workspace);
    rmSync(join(workspace.path, '../elsewhere'), { recursive: true });
    const child = await site.restore(record.id);
    expect(await takeFingerprint(child)).toEqual(before);
    await runScript(child, 'git fsck --full && git cat-file -e borrowed:e');
  });

  it('trees with names git warns of are kept', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `git -c core.protectNTFS=false update-index --add --cacheinfo 100644,"$(git hash-object -w a)",'git~1'
      ln -s a .gitmodules; git -c core.protectNTFS=false add .gitmodules 2>/dev/null || true
      git -c core.protectNTFS=false commit -qm odd`,
    );
    const before = await takeFingerprint(workspace.path);
    const child = await site.restore((await site.capture(workspace)).id);
    expect(await takeFingerprint(child)).toEqual(before);
  });
});

describe('a workspace whose .git is gone or broken', () => {
  it.each([
    ['removed', 'rm -rf .git', 'absent'],
    ['a file pointing nowhere', 'rm -rf .git; echo "gitdir: /nowhere" >.git', 'unusable'],
    ['without HEAD', 'rm .git/HEAD', 'unusable'],
    ['without objects', 'rm -rf .git/objects', 'unusable'],
    ['without refs', 'rm -rf .git/refs', 'unusable'],
    ['with a broken index', 'head -c 100 .git/index >x; mv x .git/index', 'unusable'],
    ['with a broken config', 'echo x >>a; git commit -qam x; echo "[broken" >.git/config', 'unusable'],
  ])('%s is captured as files, and says so', async (_, script, state) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, `echo work >work; ${script}`);
    const before = await takeFingerprint(workspace.path);
    const record = await site.capture(workspace);
    expect(record.git?.state).toBe(state);
    expect(record.git?.reason).not.toBe('');
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    const after = await takeFingerprint(child);
    expect(after.paths).toEqual(before.paths);
    const again = await site.capture(site.handle(child));
    expect(again.git?.state).toBe(state);
  });

  it('does not lose the checkpoints before it', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'echo x >>a; git commit -qam x');
    const before = await takeFingerprint(workspace.path);
    const first = await site.capture(workspace);
    await runScript(workspace.path, 'rm -rf .git');
    const second = await site.capture(workspace, { previous: first.id });
    await runScript(workspace.path, 'git init -q .; git add -A; git commit -qm anew');
    const third = await site.capture(workspace, { previous: second.id });
    expect(third.git).toBeUndefined();
    expect(await takeFingerprint(await site.restore(first.id))).toEqual(before);
    expect(existsSync(join(await site.restore(second.id), '.git'))).toBe(false);
    expect(await takeFingerprint(await site.restore(third.id))).toEqual(await takeFingerprint(workspace.path));
  });
});

it('a link swapped in for a folder between two captures is captured as a link', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  const first = await site.capture(workspace);
  rmSync(join(workspace.path, 'dir'), { recursive: true });
  symlinkSync(site.project.checkout, join(workspace.path, 'dir'));
  const second = await site.capture(workspace, { previous: first.id });
  expect(second.changed).toMatchObject({ added: 1, modified: 0, deleted: 2 });
  const child = await site.restore(second.id);
  expect(await takeFingerprint(child)).toEqual(await takeFingerprint(workspace.path));
});

it('a ref to an object nobody has is kept as it is', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(workspace.path, `echo ${'ab'.repeat(20)} >.git/refs/heads/broken; echo x >>a; git commit -qam x`);
  const before = await takeFingerprint(workspace.path);
  const record = await site.capture(workspace);
  expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
  expect(await takeFingerprint(await site.restore(record.id))).toEqual(before);
});

it('a checkpoint whose tree names a way out is not read', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  const record = await site.capture(workspace);
  for (const name of ['..', '.', '../x']) {
    const forged = await runScript(
      site.project.storeGit,
      `b=$(echo evil | git hash-object -w --stdin)
      f=$(node -e '
        const [name, oid] = process.argv.slice(1);
        process.stdout.write(Buffer.concat([Buffer.from("100644 " + name + "\\0"), Buffer.from(oid, "hex")]));' '${name}' $b | git hash-object -w -t tree --stdin --literally)
      m=$(git rev-parse ${record.id}:manifest); t=$(printf '040000 tree %s\\tfiles\\n100644 blob %s\\tmanifest\\n' $f $m | git mktree)
      git commit-tree -m x $t`,
    );
    await expect(site.restore(forged.trim())).rejects.toMatchObject({ code: 'checkpoint_missing' });
    expect(existsSync(join(site.folder, 'runs/x'))).toBe(false);
  }
});
