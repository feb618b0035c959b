import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRefusal } from '@ramet/core/codes';
import { digestTree, makeRepository, makeScratchArea, type ScratchArea } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findProject, findRepository, openProject, readProject } from '../../../src/workspace/project/index.ts';
import type { Project } from '../../../src/workspace/types.ts';

let area: ScratchArea;
let state: string;

beforeEach(() => {
  area = makeScratchArea();
  state = join(area.folder, 'state');
});
afterEach(() => area.remove());

async function open(cwd: string): Promise<Project> {
  const project = await openProject({ stateFolder: state, cwd });
  if (project === null || isRefusal(project)) throw new Error(`no project: ${project?.message}`);
  return project;
}

describe('openProject', () => {
  test('makes a project once, with two repositories only we can enter', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const before = digestTree(repository);
    const first = await open(repository);
    const second = await open(repository);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ checkout: repository, commonDir: join(repository, '.git') });
    for (const path of [first.folder, first.baseGit, first.storeGit]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(area.git(first.baseGit, 'rev-parse', '--is-bare-repository')).toBe('true');
    expect(area.git(first.storeGit, 'fsck')).toBe('');
    expect(digestTree(repository)).toBe(before);
  });

  test('finds the repository from a subfolder, one with a repeated name too', async () => {
    const repository = makeRepository(area, 'r', { 'front/front/a': 'a' });
    const project = await open(join(repository, 'front', 'front'));
    expect(project.checkout).toBe(repository);
    expect(await findRepository(join(repository, 'front', 'front'))).toMatchObject({ prefix: 'front/front' });
  });

  test('gives linked worktrees one project, each with its own checkout', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    area.git(repository, 'worktree', 'add', '-q', '../linked');
    const [main, linked] = [await open(repository), await open(join(area.folder, 'linked'))];
    expect(linked.id).toBe(main.id);
    expect(linked.checkout).toBe(join(area.folder, 'linked'));
    expect(linked.commonDir).toBe(main.commonDir);
  });

  test('finds the project of a repository that moved', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const before = await open(repository);
    renameSync(repository, join(area.folder, 'moved'));
    const after = await open(join(area.folder, 'moved'));
    expect(after.id).toBe(before.id);
    expect(await readProject({ stateFolder: state, id: before.id })).toMatchObject({ checkout: after.checkout });
  });

  test('gives a new repository in the place of a removed one a project of its own', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const before = await open(repository);
    renameSync(repository, join(area.folder, 'aside'));
    makeRepository(area, 'r', { b: 'b' });
    expect((await open(repository)).id).not.toBe(before.id);
    expect((await open(join(area.folder, 'aside'))).id).toBe(before.id);
  });

  test('makes one project when several processes come at once', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const program = join(area.folder, 'open.mjs');
    const source = new URL('../../../src/workspace/project/index.ts', import.meta.url).pathname;
    const code = `import { openProject } from ${JSON.stringify(source)};
      const project = await openProject({ stateFolder: process.argv[2], cwd: process.argv[3] });
      console.log(project.id);`;
    writeFileSync(program, code);
    const run = promisify(execFile);
    const ids = await Promise.all([1, 2, 3].map(() => run(process.execPath, [program, state, repository])));
    expect(new Set(ids.map(({ stdout }) => stdout)).size).toBe(1);
    expect(readdirSync(join(state, 'projects')).filter((name) => name !== 'lock')).toHaveLength(1);
  });

  test('uses the object format of the repository', async () => {
    const path = join(area.folder, 'r');
    mkdirSync(path);
    area.git(path, 'init', '-q', '--object-format=sha256');
    const project = await open(path);
    expect(area.git(project.baseGit, 'rev-parse', '--show-object-format')).toBe('sha256');
  });

  test('lets no GIT_ variable and no core.worktree lead elsewhere', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const other = makeRepository(area, 'other', { b: 'b' });
    area.git(repository, 'config', 'core.worktree', '/');
    const junk = {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: '/',
      GIT_COMMON_DIR: '/x',
      GIT_CEILING_DIRECTORIES: '/',
    };
    Object.assign(process.env, junk, { GIT_CONFIG_PARAMETERS: "'core.bare=true'" });
    try {
      expect((await open(repository)).checkout).toBe(repository);
    } finally {
      for (const name of [...Object.keys(junk), 'GIT_CONFIG_PARAMETERS']) delete process.env[name];
    }
  });

  test('answers null outside a repository and writes nothing', async () => {
    expect(await openProject({ stateFolder: state, cwd: area.folder })).toBeNull();
    expect(await findProject({ stateFolder: state, cwd: area.folder })).toBeNull();
    expect(readdirSync(area.folder)).toEqual(['home']);
  });

  test('looks for a project without making one', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    expect(await findProject({ stateFolder: state, cwd: repository })).toBeNull();
    const project = await open(repository);
    expect(await findProject({ stateFolder: state, cwd: repository })).toEqual(project);
  });

  test('sweeps what a killed process left half made', async () => {
    const left = join(state, 'projects', '.staging-x');
    mkdirSync(join(left, 'base.git'), { recursive: true });
    await open(makeRepository(area, 'r', { a: 'a' }));
    expect(readdirSync(dirname(left)).some((name) => name.startsWith('.staging'))).toBe(false);
  });

  test('gives a repository made anew with another object format another project', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const project = await open(repository);
    rmSync(join(repository, '.git'), { recursive: true });
    area.git(repository, 'init', '-q', '--object-format=sha256');
    expect((await open(repository)).id).not.toBe(project.id);
  });
});

test('a linked worktree of a bare repository is a checkout like any other', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  area.git(area.folder, 'clone', '-q', '--bare', repository, 'bare.git');
  area.git(join(area.folder, 'bare.git'), 'worktree', 'add', '-q', '../linked', 'main');
  const project = await open(join(area.folder, 'linked'));
  expect(project).toMatchObject({ checkout: join(area.folder, 'linked'), commonDir: join(area.folder, 'bare.git') });
});

test('a repository of another user is used only where the person has told git to', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can make one');
  const repository = makeRepository(area, 'r', { a: 'a' });
  for (const path of ['.', '.git']) chownSync(join(repository, path), 12345, 12345);
  const home = process.env.HOME;
  process.env.HOME = area.home;
  try {
    const answer = await openProject({ stateFolder: state, cwd: repository });
    if (!isRefusal(answer)) throw new Error('not refused');
    expect(answer.message).toContain('dubious ownership');
    expect(answer.message).toContain('git config --global --add safe.directory');
    area.git(area.home, 'config', '--global', 'safe.directory', repository);
    expect((await open(repository)).checkout).toBe(repository);
  } finally {
    process.env.HOME = home;
  }
});

describe('openProject refuses', () => {
  async function refusal(cwd: string): Promise<string> {
    const answer = await openProject({ stateFolder: state, cwd });
    if (!isRefusal(answer)) throw new Error('not refused');
    expect(answer.code).toBe('unsupported_repository');
    return answer.message;
  }

  test('a bare repository', async () => {
    area.git(area.folder, 'init', '-q', '--bare', 'bare.git');
    expect(await refusal(join(area.folder, 'bare.git'))).toContain('bare repository');
  });

  test('the inside of a git directory', async () => {
    expect(await refusal(join(makeRepository(area, 'r', { a: 'a' }), '.git', 'refs'))).toContain(
      'inside a git directory',
    );
  });

  test('a .git file that points nowhere', async () => {
    writeFileSync(join(area.folder, '.git'), 'gitdir: /nowhere/at/all\n');
    expect(await refusal(area.folder)).toContain('/nowhere/at/all');
    writeFileSync(join(area.folder, '.git'), 'junk\n');
    expect(await refusal(area.folder)).toContain('invalid gitfile format');
  });

  test('a repository of a format git does not know, with its reason', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    area.git(repository, 'config', 'core.repositoryformatversion', '1');
    area.git(repository, 'config', 'extensions.refStorage', 'of-tomorrow');
    expect(await refusal(repository)).toMatch(/refstorage/i);
  });
});

test('an empty folder named .git is no repository, and the one around it is found', async () => {
  const repository = makeRepository(area, 'r', { 'x/a': 'a' });
  mkdirSync(join(repository, 'x', '.git'));
  expect((await open(join(repository, 'x'))).checkout).toBe(repository);
});

test.each(['a b\'c"d$(touch pwn)é;&*', 'ends in blank ', 'new\nline', '-dash'])(
  'works below a folder named %j',
  async (name) => {
    const odd = makeScratchArea(name);
    try {
      const repository = makeRepository(odd, 'r', { a: 'a' });
      const project = await openProject({ stateFolder: join(odd.folder, 'state'), cwd: repository });
      expect(project).toMatchObject({ checkout: repository, commonDir: join(repository, '.git') });
    } finally {
      odd.remove();
    }
  },
);
