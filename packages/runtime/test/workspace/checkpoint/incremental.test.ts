import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { workspaceDiffers } from '../../../src/workspace/checkpoint/index.ts';
import { makeRequest, makeSite } from './fixture.ts';

type Step = readonly [what: string, script: string];

/** What an agent may do to files between two captures; each begins where the one before ended. */
const FILE_STEPS: readonly Step[] = [
  ['many folders appear', 'for i in 1 2 3; do mkdir -p m$i/n; for j in 1 2 3; do echo $i$j >m$i/n/f$j; done; done'],
  ['nothing happens', 'true'],
  ['one file of a folder takes the place of another', 'rm m1/n/f1; echo x >m1/n/g'],
  ['a file gets the name of a folder next to it', 'rm -r m2/n; echo x >m2/n'],
  ['a folder gets the name of a file', 'rm m2/n; mkdir m2/n; echo x >m2/n/f1'],
  ['folders swap their names', 'mv m1 t; mv m3 m1; mv t m3'],
  ['two files swap their contents', 'mv m1/n/f2 t; mv m1/n/f3 m1/n/f2; mv t m1/n/f3'],
  ['a folder loses its last file', 'rm m2/n/f1'],
  ['a program bit is set', 'chmod +x m1/n/f2'],
  ['a link takes the place of a file', 'rm m1/n/f2; ln -s f3 m1/n/f2'],
  ['all of it is committed', 'git add -A; git commit -qm all'],
  ['a folder gets a file named .git', 'echo junk >m3/.git'],
  ['and loses it', 'rm m3/.git'],
  ['a folder becomes a repository', 'git init -q m3; echo %x >m3/.git/%y; mkdir m3/.git/%z; echo z >m3/.git/%z/.git'],
  ['and is none again', 'rm -rf m3/.git'],
  ['a carried folder appears', 'mkdir -p m3/node_modules/a; echo x >m3/node_modules/a/b'],
  ['and is ignored', 'echo node_modules >.gitignore'],
  [
    'names change that sort unlike their paths',
    'mkdir m3/a; echo x >m3/a/b; echo x >m3/a.b; echo x >m3/a-b; echo x >m3/a0',
  ],
  ['a name changes by one byte', 'mv m3/a0 "$(printf \'m3/a\\200\')"'],
  ['files are checked out anew', 'rm -rf m1; git checkout -q -- m1'],
  ['the git directory goes', 'rm -rf .git'],
];

/** What it may do to what is tracked and ignored. */
const INDEX_STEPS: readonly Step[] = [
  ['a folder appears', 'mkdir -p m1/n; for j in 1 2 3; do echo $j >m1/n/f$j; done'],
  ['everything is added', 'git add -A'],
  ['everything is committed', 'git commit -qm all'],
  ['a file is no longer tracked', 'git rm -q --cached m1/n/f3'],
  ['an untracked file becomes ignored', 'echo f3 >m1/n/.gitignore'],
  ['an ignored one becomes untracked', 'echo nothing >m1/n/.gitignore'],
  ['a file is tracked that was not', 'git add m1/n/f3'],
  [
    'a file is tracked whatever the rules say',
    'echo f >m1/n/forced; echo forced >m1/n/.gitignore; git add -f m1/n/forced',
  ],
  ['and is deleted', 'rm m1/n/forced'],
  ['while something else is new', 'echo new >m1/n/new'],
  ['and is there again', 'echo again >m1/n/forced'],
  ['a file is only meant to be added', 'git add -N m1/n/new'],
  [
    'a folder of a carried name is tracked',
    'mkdir -p v/node_modules; echo x >v/node_modules/x; git add -f v/node_modules/x',
  ],
  ['and ignored as a folder', 'echo node_modules >v/.gitignore'],
  ['and loses the file', 'rm v/node_modules/x'],
  ['and has another', 'echo y >v/node_modules/y'],
  [
    'a merge ends in a conflict',
    `git add -A; git commit -qm ours; git checkout -q -b side HEAD~1; echo theirs >m1/n/f3
    git commit -qam theirs; git checkout -q -; echo ours >m1/n/f3; git commit -qam ours; git merge -q side || true`,
  ],
  ['and is resolved', 'echo both >m1/n/f3; git add m1/n/f3'],
  ['the index is written as another version', 'git update-index --index-version 4'],
  ['and split', 'git update-index --split-index; echo more >>m1/n/f3; git add m1/n/f3'],
  ['and one again', 'git update-index --no-split-index'],
];

it.each([
  ['files', FILE_STEPS, true],
  ['what is tracked', INDEX_STEPS, false],
])(
  'a capture that builds on the last one gives what one gives that knows nothing, for changes of %s',
  async (_, steps, captureIgnored) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const options = { captureIgnored };
    let previous = (await site.capture(workspace, options)).id;
    /** The same workspace without a cache. */
    const forget = () => ({ ...workspace, privateFolder: mkdtempSync(join(site.folder, 'private-')) });
    for (const [what, script] of steps) {
      await runScript(workspace.path, script);
      const fresh = await site.capture(forget(), { ...options, previous });
      const request = { ...makeRequest(workspace, options), checkpoint: previous };
      expect(await workspaceDiffers(request), what).toBe(await workspaceDiffers({ ...request, workspace: forget() }));
      const built = await site.capture(workspace, { ...options, previous });
      expect(built, what).toEqual(fresh);
      expect(await workspaceDiffers({ ...request, checkpoint: built.id }), what).toBe(false);
      previous = built.id;
    }
  },
);

describe('a capture', () => {
  it('writes all trees again when the store lost the packs of the one it builds on', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'mkdir -p deep/er; echo x >deep/er/f');
    const first = await site.capture(workspace);
    await runScript(site.project.storeGit, 'rm -f objects/pack/*');
    expect(readdirSync(join(site.project.storeGit, 'objects/pack'))).toEqual([]);
    await runScript(workspace.path, 'echo y >y');
    const second = await site.capture(workspace, { previous: first.id });
    const listing = await runScript(site.project.storeGit, `git ls-tree -r --name-only ${second.id}:files`);
    expect(listing.split('\n')).toContain('deep/er/f');
  });
});
