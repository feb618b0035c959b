import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@ramet/runtime/store';
import { makeScratchArea } from '@ramet/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const area = makeScratchArea();
afterAll(() => area.remove());

describe('a folder to be made', () => {
  it('comes with those above it, for its owner alone, and may be there already', () => {
    const path = join(area.folder, 'a', 'b', 'c');
    expect(makeFolder(path)).toBe(join(area.folder, 'a'));
    expect(makeFolder(path)).toBeUndefined();
    for (const folder of [path, join(path, '..'), join(path, '..', '..')]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  it('ends with the reason where none can be: below a file, over a file or a dead link, in /proc', () => {
    const file = join(area.folder, 'file');
    writeFileSync(file, '');
    symlinkSync('nowhere', join(area.folder, 'dead'));
    for (const path of [join(file, 'x'), file, join(area.folder, 'dead'), '/proc/ramet/runs']) {
      expect(() => makeFolder(path), path).toThrow(/cannot make the folder/);
    }
  });

  it('may be reached by a link', () => {
    mkdirSync(join(area.folder, 'real'));
    symlinkSync('real', join(area.folder, 'link'));
    makeFolder(join(area.folder, 'link', 'below'));
    expect(statSync(join(area.folder, 'real', 'below')).isDirectory()).toBe(true);
  });
});
