import { expect, test } from 'vitest';
import { makeRepository, render } from './fixture.ts';
import { checkLinks } from './links.ts';

function check(page: string): string[] {
  const files = { 'docs/page.md': page, 'docs/other page.md': '', 'README.md': '[docs](docs/)' };
  return render(checkLinks(makeRepository(files)));
}

test('accepts links to files, folders, headings and other sites', () => {
  expect(
    check(
      '[a](../README.md#top) [b](#here) [c](https://example.com/x.md) [d](<other%20page.md>)\n![e](page.md "title")\n',
    ),
  ).toEqual([]);
});

test('finds links to nothing', () => {
  expect(check('# Page\n[a](missing.md) and ![b](image.png "title")\n\n[c]: gone.md#part\n')).toEqual([
    "docs/page.md:2 link 'missing.md' points at nothing",
    "docs/page.md:2 link 'image.png' points at nothing",
    "docs/page.md:4 link 'gone.md#part' points at nothing",
  ]);
});

test('finds links that leave the repository', () => {
  expect(check('[a](/etc/passwd) [b](../../x.md)')).toEqual([
    "docs/page.md:1 link '/etc/passwd' leaves the repository",
    "docs/page.md:1 link '../../x.md' leaves the repository",
  ]);
});

test('ignores code', () => {
  expect(check('`[a](b.md)`\n\n```md\n[a](b.md)\n```\n\n[a](b.md)\n')).toEqual([
    "docs/page.md:7 link 'b.md' points at nothing",
  ]);
});
