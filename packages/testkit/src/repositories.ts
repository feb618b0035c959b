/** Odd repositories: shell scripts that bring a repository into states a checkpoint must survive. */
import { runProcess } from '@ramet/runtime/process';

/** Runs a shell script in a folder, with a fixed identity and clock; throws with its stderr when it fails. */
export async function runScript(folder: string, script: string): Promise<string> {
  const outcome = await runProcess({
    argv: ['bash', '-euo', 'pipefail', '-c', script],
    cwd: folder,
    env: SCRIPT_ENV,
    stdout: { kind: 'collect', limitBytes: 16 * 1024 * 1024 },
    stderrLimitBytes: 16 * 1024,
  });
  if (outcome.exitCode === 0) return outcome.stdout.toString();
  throw new Error(`script ended with ${outcome.exitCode ?? outcome.signal}: ${outcome.stderr}\n${script}`);
}

const SCRIPT_ENV = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@example.org',
  GIT_AUTHOR_DATE: '1750000000 +0200',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@example.org',
  GIT_COMMITTER_DATE: '1750000000 +0200',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
};

/** The repository most states start from: two branches that conflict in `c`, some folders, an ignore file. */
export const START_SCRIPT = `
git init -q -b main .
printf 'a\\n' > a; printf 'b\\n' > b; printf 'c\\n' > c; printf 'f\\n' > f; printf 'g\\n' > g; printf 'h\\n' > h
mkdir -p dir/sub; printf 'x\\n' > dir/x; printf 'y\\n' > dir/sub/y; printf '#!/bin/sh\\n' > run; chmod 755 run
ln -s a link; printf '*.log\\nbuild/\\nnode_modules/\\n.env\\n' > .gitignore
git add -A; git commit -qm start
git checkout -q -b other; printf 'c of other\\n' > c; printf 'new of other\\n' > o; git add -A; git commit -qm other
printf 'more\\n' >> o; git commit -qam other2
git checkout -q main; printf 'c of main\\n' > c; git commit -qam main
git checkout -q -b dev; printf 'd\\n' > d; git add d; git commit -qm dev1; printf 'd2\\n' > d; git commit -qam dev2
`;

/** One state: how to get there from the start, and what must work there afterwards. */
export interface RepositoryState {
  readonly make: string;
  /** Commands that must succeed in the original and in every restored copy. */
  readonly after?: readonly string[];
}

/** States of work in progress, by name. */
export const REPOSITORY_STATES: Readonly<Record<string, RepositoryState>> = {
  'staged, unstaged, untracked, deleted, renamed and committed at once': {
    make: `echo 1>>f; echo one >>f; git add f; echo 2 >>f; echo n >new; git rm -q --cached g; rm h; git mv a z
      echo c1 >>c; git commit -qm agent -- c; echo 3 >>c; git tag t1; git tag -a -m annotated t2; git tag -a -m nested t3 t2
      git branch side; chmod +x b; mkdir -p empty/deep; echo s >.env; mkdir build; echo o >build/o; echo l >x.log`,
    after: ['git commit -qam on && git show t3 >/dev/null && git fsck --full --strict'],
  },
  'detached HEAD with a commit': {
    make: 'git checkout -q --detach; git commit -q --allow-empty -m d',
    after: ['git log -1 --format=%s | grep -x d >/dev/null'],
  },
  'a merge with one conflict resolved and one open': {
    make: `printf 'o of dev\\n' >o; git add o; git commit -qm o; ! git merge -q other; printf 'resolved\\n' >o; git add o`,
    after: [
      'git checkout --theirs c && git add c && git merge --continue && test "$(git log -1 --format=%p | wc -w)" = 2',
      'git merge --abort && git diff --quiet HEAD',
      'git checkout -m o && git ls-files -u o | grep . >/dev/null',
    ],
  },
  'a rebase stopped at a conflict': {
    make: '! git rebase -q other',
    after: [
      'echo r >c; git add c; git rebase --continue && git log --format=%s | grep -x dev2 >/dev/null',
      'git rebase --abort',
    ],
  },
  'an interactive rebase stopped to edit': {
    make: `GIT_SEQUENCE_EDITOR="sed -i 1s/^pick/edit/" git rebase -q -i HEAD~2; echo edited >>d; git add d`,
    after: ['git commit -q --amend --no-edit && ! git rebase --continue; echo m >d; git add d; git rebase --continue'],
  },
  'a cherry-pick sequence stopped at its first commit': {
    make: '! git cherry-pick main other~1 other >/dev/null 2>&1; git status >/dev/null',
    after: [
      'git cherry-pick --abort && git diff --quiet HEAD',
      'echo p >c; git add c; ! git cherry-pick --continue; git status | grep cherry-pick >/dev/null',
    ],
  },
  'a revert stopped at a conflict': {
    make: `printf 'c again\\n' >c; git commit -qam again; ! git revert --no-edit main >/dev/null 2>&1`,
    after: ['git revert --abort && git diff --quiet HEAD', 'echo p >c; git add c; git revert --continue'],
  },
  'a bisect': {
    make: 'git bisect start -q HEAD main~1 >/dev/null',
    after: ['git bisect good >/dev/null && git bisect reset', 'git bisect log >/dev/null'],
  },
  'an am stopped at a conflict': {
    make: 'git format-patch -1 other~1 --stdout >p.mbox; ! git am -q p.mbox >/dev/null 2>&1',
    after: ['git am --abort', 'git am --skip'],
  },
  'two stashes': {
    make: 'echo s >>a; git add a; echo t >>b; echo u >u; git stash -q -u; echo v >>a; git stash -q; echo w >>b',
    after: [
      'git stash pop -q && git stash drop -q',
      'git checkout -q b && git stash drop -q && git stash pop -q --index && test -f u',
    ],
  },
  'intent to add': {
    make: 'echo n >n; git add -N n; echo m >>a',
    after: ['git diff --quiet HEAD -- n && exit 1; git add n && git commit -qm n'],
  },
  'assume-unchanged and skip-worktree edits': {
    make: 'git update-index --assume-unchanged a; echo local >>a; git update-index --skip-worktree b; echo mine >b; git update-index --chmod=+x c',
    after: ['git ls-files -v | grep -x "h a" >/dev/null && grep -qx local a && grep -qx mine b'],
  },
  'a split index': {
    make: 'git update-index --split-index; echo n >n; git add n; git rm -q --cached g; echo r >>a; git add a',
    after: [
      'git ls-files | grep -x n >/dev/null && ! git ls-files | grep -x g >/dev/null && git commit -qm s && git fsck --strict',
    ],
  },
  'an untracked cache': { make: 'git update-index --untracked-cache; echo n >n; git status >/dev/null; echo m >dir/m' },
  'an index of version 4': { make: 'git update-index --index-version 4; echo n >dir/n; git add dir; echo q >>dir/n' },
  'a sparse index': {
    make: 'git sparse-checkout set --cone --sparse-index dir >/dev/null 2>&1; echo n >dir/n; git add dir/n',
    after: ['git sparse-checkout disable && test -f c'],
  },
  'an amended and a dropped commit': {
    make: 'echo 1 >>a; git commit -qam one; git commit -q --amend -m two; git checkout -q -b gone; echo x >gone; git add gone; git commit -qm gone; git checkout -q dev; git branch -q -D gone',
    after: [
      'git reflog | grep gone >/dev/null && git cat-file -e "HEAD@{1}" && git checkout -q "HEAD@{1}" && test -f gone',
    ],
  },
  'an orphan branch': {
    make: 'git checkout -q --orphan o; git rm -rqf .; echo o >o; git add o; echo p >p',
    after: ['git commit -qm o && test "$(git rev-list --count HEAD)" = 1'],
  },
  'the current branch removed': { make: 'git update-ref -d refs/heads/dev; git status >/dev/null' },
  'replaced and grafted history': { make: 'git replace --graft HEAD main~1; git log --oneline >/dev/null; echo x >>a' },
  'packed refs and a repository that was collected': {
    make: 'echo 1 >>a; git commit -qam packed; git tag -a -m x packed; git pack-refs --all; git gc -q; echo 2 >>a; git add a',
    after: ['git fsck --full --strict && git commit -qm after'],
  },
  'a HEAD that is a link': { make: 'rm .git/HEAD; ln -s refs/heads/main .git/HEAD; git status >/dev/null' },
  'a linked worktree': {
    make: 'git worktree add -q wt side2 2>/dev/null || git worktree add -q -b side2 wt; echo w >>wt/a; git -C wt add a; echo v >>wt/b',
  },
  'a submodule with edits': {
    make: `git init -q -b main ../sub-source; git -C ../sub-source commit -q --allow-empty -m s
      git -c protocol.file.allow=always submodule --quiet add ../sub-source sub; git commit -qm sub
      echo e >sub/edit; git -C sub add edit; git -C sub commit -qm inner; echo dirty >>sub/edit`,
    after: ['git -C sub commit -qam inner2 && git -C sub fsck && git submodule status'],
  },
};

/** What a run's workspace may hold besides tracked files, by name; shell scripts. */
export const FOLDER_STATES: Readonly<Record<string, string>> = {
  'an inner repository without a commit': 'git init -q inner; echo x >inner/f',
  'an inner repository with edits': `git init -q inner; echo x >inner/f; git -C inner add f; git -C inner commit -qm i
    echo y >>inner/f; echo n >inner/n`,
  'a clone of itself': 'git clone -q . copy; echo e >>copy/a',
  'an inner repository below an ignored folder':
    'mkdir build; git init -q build/inner; echo x >build/inner/f; git -C build/inner add f; git -C build/inner commit -qm i',
  'an inner repository added as a link':
    'git init -q inner; echo x >inner/f; git -C inner add f; git -C inner commit -qm i; git add inner 2>/dev/null; echo y >>inner/f',
  'an empty folder named .git': 'mkdir -p inner/.git',
  'a file named .git with junk': 'mkdir inner; echo junk >inner/.git',
  'names like .git':
    'mkdir -p x/.GIT y/.git/%2egit %2egit .Git; echo 1 >x/.GIT/f; echo 2 >y/.git/%2egit/f; echo 3 >%2egit/f; echo 4 >.Git/f; echo 5 >"%percent"',
  'names git quotes': `echo 1 >$'caf\\u00e9'; echo 2 >$'cafe\\u0301'; echo 3 >公.txt; echo 4 >😀😃😄; echo 5 >'a b'; echo 6 >' lead'; echo 7 >'trail '
    echo 8 >$'tab\\tx'; echo 9 >$'new\\nline'; echo 10 >'"q"'; echo 11 >'\\back'; echo 12 >-dash; echo 13 >--help; echo 14 >':(top)x'
    echo 15 >'*'; echo 16 >'!x'; echo 17 >'#y'; echo 18 >$'\\377.txt'; echo 19 >"$(printf 'n%.0s' $(seq 255))"; echo 20 >con; echo 21 >'.gitmodules '
    echo 22 >Case; echo 23 >case; echo 24 >'git~1'; echo 25 >$'\\376\\nx'; mkdir -p "$(printf 'deep/%.0s' $(seq 60))"; echo 26 >"$(printf 'deep/%.0s' $(seq 60))f"
    git add -A || git -c core.protectNTFS=false add -A`,
  'modes, links and odd types': `echo s >m755; chmod 755 m755; echo r >m444; chmod 444 m444; echo p >m600; chmod 600 m600; echo u >m4755; chmod 4755 m4755
    mkdir d700 d2775; chmod 700 d700; chmod 2775 d2775; echo x >d700/x; ln -s a to-file; ln -s dir to-dir; ln -s /etc/passwd absolute; ln -s nowhere dangling
    ln m600 hard; : >nothing; ln -s ../../../../etc out; mkdir r555; echo y >r555/y; chmod 555 r555`,
  'types swapped': `rm a; mkdir a; echo in >a/in; rm -r dir; echo file >dir; rm b; ln -s /etc b; rm link; mkdir link; echo q >link/q; chmod 644 run; git mv f F`,
  'content git would convert': `printf '*.t text=auto\\n*.c eol=crlf\\n*.i ident\\n*.u working-tree-encoding=UTF-16\\n' >.gitattributes
    printf 'a\\r\\nb\\nc\\r' >x.t; printf 'a\\nb\\r\\n' >x.c; printf '$Id: mine $\\n' >x.i; printf '\\357\\273\\277bom\\n' >bom; printf 'x\\r\\n' >crlf; git add -A 2>/dev/null || git add x.t x.c x.i bom crlf`,
  'attributes changed after the files were added': `printf 'a\\r\\nb\\n' >x.t; git add x.t; git commit -qm crlf; sleep 1.1; git update-index -q --refresh; printf '*.t text eol=lf\\n' >.gitattributes`,
  'a link named .gitmodules': 'ln -s a .gitmodules',
};
