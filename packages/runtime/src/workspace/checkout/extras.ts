/**
 * Plans what comes along besides what git holds: carried folders, small ignored files, and with `allowDirty` the
 * untracked ones. Looks only; nothing is copied before the whole is known to be within the limits.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { type Refusal, refuse } from '@ramet/core/codes';
import { renderName } from '../git/index.ts';
import type { LeftOut } from '../types.ts';
import { child, keyOf, under } from './bytes.ts';
import type { PersonStatus } from './status.ts';
import type { CheckoutLimits } from './types.ts';
import { type FoundEntry, walkTree } from './walk.ts';

export interface ExtrasRequest {
  readonly checkout: string;
  readonly status: PersonStatus;
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  readonly allowDirty: boolean;
  readonly limits: CheckoutLimits;
  /** Never copied, wherever it lies. */
  readonly stateFolder: string;
}

export interface Extras {
  /** Entries by the carried folder they belong to. */
  readonly carried: ReadonlyMap<string, { readonly folder: Buffer; readonly entries: readonly FoundEntry[] }>;
  readonly ignored: readonly FoundEntry[];
  readonly untracked: readonly FoundEntry[];
  readonly leftOut: readonly LeftOut[];
}

/** Plans what comes along; `workspace_too_large` with the numbers when it is more than the limits allow. */
export async function planExtras(request: ExtrasRequest): Promise<Extras | Refusal> {
  const planner = new ExtrasPlanner(request);
  for (const path of request.status.ignored) {
    if (planner.tooLarge()) break;
    await planner.addIgnored(path);
  }
  if (request.allowDirty) {
    for (const path of request.status.untracked) {
      if (planner.tooLarge()) break;
      await planner.addUntracked(path);
    }
  }
  return planner.tooLarge() ? refuseTooLarge(request, planner) : planner.finish();
}

class ExtrasPlanner {
  readonly #request: ExtrasRequest;
  readonly #state: { dev: number; ino: number } | null;
  readonly #carried = new Map<string, { folder: Buffer; entries: FoundEntry[] }>();
  readonly #small: FoundEntry[] = [];
  readonly #untracked: FoundEntry[] = [];
  readonly #leftOut: LeftOut[] = [];
  entries = 0;
  bytes = 0;

  constructor(request: ExtrasRequest) {
    this.#request = request;
    this.#state = statSync(request.stateFolder, { throwIfNoEntry: false }) ?? null;
  }

  tooLarge(): boolean {
    return this.entries > this.#request.limits.entries || this.bytes > this.#request.limits.copyBytes;
  }

  async addIgnored(path: Buffer): Promise<void> {
    const folder = findCarried(path, this.#request.carry);
    if (folder !== null && isFolder(this.#request.checkout, folder)) return this.#addCarried(folder, path);
    if (!this.#request.captureIgnored) {
      if (this.#isState(statOf(this.#request.checkout, path))) return;
      this.#leaveOut(path, 'ignored');
      return;
    }
    const inner: Buffer[] = [];
    const enter = (at: Buffer, stats: Stats) => this.#enterIgnored(at, stats, inner);
    for await (const entry of walkTree({ root: this.#request.checkout, start: path, enter })) {
      if (this.#countOne()) return;
      this.#addSmall(entry);
    }
    for (const at of inner) await this.#addCarried(at, at);
  }

  async addUntracked(path: Buffer): Promise<void> {
    const enter = (_: Buffer, stats: Stats) => !this.#isState(stats);
    for await (const entry of walkTree({ root: this.#request.checkout, start: path, enter })) {
      this.bytes += entry.kind === 'file' ? entry.bytes : 0;
      if (this.#countOne()) return;
      if (this.#canCopy(entry)) this.#untracked.push(entry);
    }
  }

  finish(): Extras {
    const { limits } = this.#request;
    const ignored: FoundEntry[] = [];
    let total = 0;
    for (const entry of this.#small.sort((a, b) => Buffer.compare(a.path, b.path))) {
      const bytes = entry.kind === 'file' ? entry.bytes : 0;
      if (total + bytes > limits.ignoredTotalBytes) this.#leaveOut(entry.path, 'over_total', entry.bytes);
      else {
        total += bytes;
        ignored.push(entry);
      }
    }
    return { carried: this.#carried, ignored, untracked: this.#untracked, leftOut: this.#leftOut };
  }

  async #addCarried(folder: Buffer, path: Buffer): Promise<void> {
    const group = this.#carried.get(keyOf(folder)) ?? { folder, entries: [] };
    this.#carried.set(keyOf(folder), group);
    const enter = (_: Buffer, stats: Stats) => !this.#isState(stats);
    for await (const entry of walkTree({ root: this.#request.checkout, start: path, enter })) {
      this.bytes += entry.kind === 'file' ? entry.bytes : 0;
      if (this.#countOne()) return;
      if (this.#canCopy(entry)) group.entries.push(entry);
    }
  }

  #enterIgnored(at: Buffer, stats: Stats, inner: Buffer[]): boolean {
    if (this.#isState(stats)) return false;
    if (this.#request.carry.includes(nameOf(at))) {
      inner.push(at);
      return false;
    }
    if (statOf(this.#request.checkout, child(at, Buffer.from('.git'))) === undefined) return true;
    // A repository of its own is not made of small files that can be taken one by one.
    this.#leaveOut(at, 'not_supported');
    return false;
  }

  #addSmall(entry: FoundEntry): void {
    // Folders come with what they hold; an empty one says nothing.
    if (entry.kind === 'folder' || !this.#canCopy(entry)) return;
    if (entry.kind === 'file' && entry.bytes > this.#request.limits.ignoredFileBytes) {
      this.#leaveOut(entry.path, 'too_large', entry.bytes);
    } else this.#small.push(entry);
  }

  #canCopy(entry: FoundEntry): boolean {
    if (entry.kind === 'special') this.#leaveOut(entry.path, 'special_file');
    if (entry.kind === 'unreadable') this.#leaveOut(entry.path, 'unreadable');
    return entry.kind !== 'special' && entry.kind !== 'unreadable';
  }

  #countOne(): boolean {
    this.entries += 1;
    return this.tooLarge();
  }

  #isState(stats: Stats | undefined): boolean {
    return this.#state !== null && stats?.ino === this.#state.ino && stats.dev === this.#state.dev;
  }

  #leaveOut(path: Buffer, reason: LeftOut['reason'], bytes?: number): void {
    this.#leftOut.push({ path: renderName(path), reason, ...(bytes === undefined ? {} : { bytes }) });
  }
}

/** The outermost folder at or above a path that is named in `carry`; null where there is none. */
function findCarried(path: Buffer, carry: readonly string[]): Buffer | null {
  for (let end = 0; end < path.length; end += 1) {
    const slash = path.indexOf(0x2f, end);
    end = slash < 0 ? path.length : slash;
    const at = path.subarray(0, end);
    if (carry.includes(nameOf(at))) return at;
  }
  return null;
}

function nameOf(path: Buffer): string {
  return path.subarray(path.lastIndexOf(0x2f) + 1).toString();
}

function isFolder(root: string, path: Buffer): boolean {
  return statOf(root, path)?.isDirectory() ?? false;
}

function statOf(root: string, path: Buffer): Stats | undefined {
  return lstatSync(under(root, path), { throwIfNoEntry: false });
}

function refuseTooLarge({ checkout, limits }: ExtrasRequest, seen: { entries: number; bytes: number }): Refusal {
  const { entries, bytes } = seen;
  return refuse(
    'workspace_too_large',
    `${JSON.stringify(checkout)} holds more untracked, ignored or carried files than a workspace may take: ` +
      `after ${entries} entries, ${bytes} bytes to copy; the limits are ${limits.entries} entries and ${limits.copyBytes} bytes. ` +
      `Nothing was copied. Start in a smaller repository, carry less, or raise the limits.`,
    { checkout, entries, bytes, limits: { entries: limits.entries, bytes: limits.copyBytes } },
  );
}
