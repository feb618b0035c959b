/**
 * The operating system's lock on a span of a file (open file description locks on Linux), by `fs-native-extensions`.
 *
 * The library searches for its add-on through a chain of modules that costs every command 20 ms; its file for this
 * platform is loaded by name first (2 ms), and the library's own way is taken wherever that fails.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What both ways of loading answer. */
type TryLock = (fd: number, span: LockSpan, shared: boolean) => boolean;

export interface LockSpan {
  readonly offset: number;
  /** 0: to the end of the file and beyond. */
  readonly length: number;
}

const require = createRequire(import.meta.url);
let loaded: TryLock | undefined;

/** Locks a span at once, or answers false when another open file holds it. An exclusive lock needs a writable one. */
export function tryLockSpan(fd: number, span: LockSpan, mode: 'exclusive' | 'shared'): boolean {
  loaded ??= loadAddon() ?? loadLibrary();
  return loaded(fd, span, mode === 'shared');
}

interface Addon {
  /** Throws `EAGAIN` when the span is held. */
  tryLock(...span: [fd: number, offset: number, length: number, exclusive: boolean]): void;
}

function loadAddon(): TryLock | null {
  const { platform, arch } = process;
  try {
    const home = dirname(require.resolve('fs-native-extensions/package.json'));
    const addon = require(join(home, 'prebuilds', `${platform}-${arch}`, 'fs-native-extensions.node')) as Addon;
    return (fd, { offset, length }, shared) => {
      try {
        addon.tryLock(fd, offset, length, !shared);
        return true;
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'EAGAIN') return false;
        throw error;
      }
    };
  } catch {
    return null;
  }
}

interface Library {
  tryLock(...span: [fd: number, offset: number, length: number, options: { readonly shared: boolean }]): boolean;
}

function loadLibrary(): TryLock {
  const library = require('fs-native-extensions') as Library;
  return (fd, { offset, length }, shared) => library.tryLock(fd, offset, length, { shared });
}
