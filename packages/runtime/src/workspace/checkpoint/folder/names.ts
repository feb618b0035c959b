/**
 * Names of a workspace as bytes, and where a path lies in a checkpoint's tree.
 *
 * 1. A `BytePath` holds one byte a character, so any name a file system allows survives; it is never shown.
 * 2. `.git` never becomes a name in a tree of ours: what lies below a `.git` is stored below `git/` (the workspace's
 *    own) or `nested/` (every other), with the component escaped. Both directions are exact inverses.
 */
import { renderName } from '../../git/index.ts';

/** A path relative to the workspace, one character a byte (latin1), `/` between names; '' is the root. */
export type BytePath = string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: every byte below 128 counts.
const ASCII = /^[\x00-\x7f]*$/;
/** A component that is empty, `.` or `..`. */
const NOWHERE = /(?:^|\/)\.{0,2}(?:\/|$)/;
const GIT_COMPONENT = /(?:^|\/)\.git(?:\/|$)/i;

/** The path of an entry for `node:fs`, exact for names that are not UTF-8. */
export function locate(root: string, path: BytePath): string | Buffer {
  if (path === '') return root;
  if (ASCII.test(path)) return `${root}/${path}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** A path as text for people and logs; two paths never look alike. */
export function renderBytePath(path: BytePath): string {
  return renderName(Buffer.from(path, 'latin1'));
}

/** Text of our own (folder names from a configuration) as bytes. */
export function toBytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** Where a path of the workspace lies in a checkpoint's tree. */
export function treePathOf(path: BytePath): BytePath {
  if (path.startsWith('.git/')) return `git/${escapeComponents(path.slice(5))}`;
  return GIT_COMPONENT.test(path) ? `nested/${escapeComponents(path)}` : `files/${path}`;
}

/** Where the files of a folder lie in a checkpoint's tree, but for one that is itself named `.git`. */
export function treeFolderOf(folder: BytePath): BytePath {
  if (folder === '') return 'files';
  return folder === '.git' ? 'git' : treePathOf(folder);
}

/** The workspace path of an entry of a checkpoint's tree; null for what is no part of the workspace (`keep/`). */
export function workspacePathOf(treePath: BytePath): BytePath | null {
  if (treePath.startsWith('files/')) return treePath.slice(6);
  if (treePath.startsWith('git/')) return `.git/${unescapeComponents(treePath.slice(4))}`;
  return treePath.startsWith('nested/') ? unescapeComponents(treePath.slice(7)) : null;
}

/** The path before the first `.git` component below the root, or null: the nested repository a path belongs to. */
export function nestedRepositoryOf(path: BytePath): BytePath | null {
  const found = GIT_COMPONENT.exec(path);
  return found === null || path.startsWith('.git/') ? null : path.slice(0, found.index);
}

/** Whether a folder is the workspace's own git directory or lies in it. */
export function isOwnGitFolder(folder: BytePath): boolean {
  return folder === '.git' || folder.startsWith('.git/');
}

/** Whether a path stays below the workspace's root and names something there. */
export function isSafePath(path: BytePath): boolean {
  return !path.includes('\0') && !NOWHERE.test(path);
}

/** The folder a path lies in; '' for the root's own entries. */
export function folderOf(path: BytePath): BytePath {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The path of a name in a folder. */
export function joinPath(folder: BytePath, name: string): BytePath {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The last name of a path. */
export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

function escapeComponents(path: BytePath): BytePath {
  return path.split('/').map(escapeComponent).join('/');
}

/** A name below `git/` or `nested/` of a checkpoint's tree. */
export function escapeComponent(name: string): string {
  if (name.startsWith('%')) return `%25${name.slice(1)}`;
  return isGitName(name) ? `%2e${name.slice(1)}` : name;
}

/** Whether a name is `.git` in some case. */
export function isGitName(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === '.git';
}

function unescapeComponents(path: BytePath): BytePath {
  return path
    .split('/')
    .map((name) => {
      if (name.startsWith('%2e')) return `.${name.slice(3)}`;
      return name.startsWith('%25') ? `%${name.slice(3)}` : name;
    })
    .join('/');
}
