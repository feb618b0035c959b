/** Disks that really fill up: file systems in memory, of limited size. Mounting one needs root. */
import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  /** Fills it until so many bytes are left; answers the file to remove for room. */
  fill(leaveBytes: number): string;
  unmount(): void;
}

/** Mounts one over an empty folder, with a size such as `32m`; null where that is not allowed. */
export function mountSmallDisk(folder: string, size: string): SmallDisk | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'ramet-test', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return {
    folder,
    fill: (leaveBytes) => {
      const { bavail, bsize } = statfsSync(folder);
      const path = join(folder, 'filler');
      writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
      return path;
    },
    unmount: () => execFileSync('umount', ['-l', folder]),
  };
}

/** The disk; skips a test where there is none. */
export function needDisk(ctx: TestContext, disk: SmallDisk | null): SmallDisk {
  return disk ?? ctx.skip('tool missing: mount (a file system of limited size needs root)');
}
