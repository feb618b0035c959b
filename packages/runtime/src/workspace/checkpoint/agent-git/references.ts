/**
 * What the agent's git directory says of itself: HEAD, refs, an operation in progress, and every object it mentions.
 * Read as bytes from files of the workspace; whatever it claims about objects is checked against the store later.
 */
import { type BytePath, nameOf } from '../folder/names.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { readLinkText, readText } from './git-files.ts';
import { AgentGitOverLimit, MOST_MENTIONED, MOST_SCANNED_BYTES } from './limits.ts';

export interface AgentReferences {
  /** HEAD's text, as far as it has one. */
  readonly head: string;
  /** The commit HEAD resolves to; null when unborn. */
  readonly commit: string | null;
  readonly operation: string | null;
  /** Objects that refs name directly. */
  readonly named: ReadonlySet<string>;
  /** Every other id found in reflogs, operation files and the like. */
  readonly mentioned: ReadonlySet<string>;
}

/** What one file of `refs/` or one line of `packed-refs` says. */
const DIRECT = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/;
const SYMBOLIC = /^ref:\s*(\S.*?)\s*$/;
const MOST_HOPS = 5;
/** Content that is not git's own words about this repository. */
const UNSCANNED = /^\.git\/(?:hooks|modules|lfs|annex)\/|(?:^|\/)(?:index|sharedindex\.[0-9a-f]+|fsmonitor--daemon.*)$/;

/** Reads HEAD: its text, or null where it is no HEAD git would accept. A link counts as a symbolic HEAD, as for git. */
export function readHead(root: string): string | null {
  const link = readLinkText(root, '.git/HEAD');
  if (link !== null) return link.startsWith('refs/') ? `ref: ${link}` : null;
  const text = readText(root, '.git/HEAD')?.trimEnd() ?? null;
  return text !== null && (DIRECT.test(text) || SYMBOLIC.test(text)) ? text : null;
}

/** The refs of a git directory as bytes: name to id, loose ones over packed ones; symbolic ones are left out. */
export function readRefs(files: Iterable<BytePath>, read: (path: BytePath) => string | null): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of read('.git/packed-refs')?.split('\n') ?? []) {
    const [, oid, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
    if (oid !== undefined && name !== undefined) refs.set(name, oid);
  }
  for (const path of files) {
    if (!path.startsWith('.git/refs/')) continue;
    const [, oid] = DIRECT.exec(read(path) ?? '') ?? [];
    if (oid !== undefined) refs.set(path.slice('.git/'.length), oid);
  }
  return refs;
}

/** The commit a HEAD's text resolves to. */
function resolveHead(
  head: string,
  refs: ReadonlyMap<string, string>,
  read: (path: BytePath) => string | null,
): string | null {
  let text = head;
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const [, target] = SYMBOLIC.exec(text) ?? [];
    if (target === undefined) return DIRECT.exec(text)?.[1] ?? null;
    const direct = refs.get(target);
    if (direct !== undefined) return direct;
    text = isRefName(target) ? (read(`.git/${target}`)?.trimEnd() ?? '') : '';
  }
  return null;
}

export interface ReferencesRequest {
  readonly root: string;
  /** HEAD's text. */
  readonly head: string;
  /** The regular files of the git directory. */
  readonly files: readonly BytePath[];
  readonly format: ObjectFormat;
}

/** Reads everything the agent's git directory mentions; throws `AgentGitOverLimit` where that does not end. */
export function readReferences({ root, head, files, format }: ReferencesRequest): AgentReferences {
  const read = (path: BytePath) => readText(root, path);
  const refs = readRefs(files, read);
  const commit = resolveHead(head, refs, read);
  const named = new Set(refs.values());
  const texts = readTexts(files, read);
  const mentioned = findMentioned(texts, named, format);
  return { head, commit, operation: findOperation(files), named, mentioned };
}

function* readTexts(files: readonly BytePath[], read: (path: BytePath) => string | null): Generator<string> {
  for (const path of files) if (!UNSCANNED.test(path)) yield read(path) ?? '';
}

function findMentioned(texts: Iterable<string>, named: ReadonlySet<string>, format: ObjectFormat): Set<string> {
  const mentioned = new Set<string>();
  const pattern =
    format.name === 'sha1' ? /(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/g : /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
  let scanned = 0;
  for (const text of texts) {
    scanned += text.length;
    if (scanned > MOST_SCANNED_BYTES) throw new AgentGitOverLimit('its reflogs and other files are more than 256 MiB');
    for (const [oid] of text.matchAll(pattern)) if (!named.has(oid)) mentioned.add(oid);
    if (mentioned.size > MOST_MENTIONED) {
      throw new AgentGitOverLimit(`its files mention more than ${MOST_MENTIONED} objects`);
    }
  }
  mentioned.delete('0'.repeat(format.rawLength * 2));
  return mentioned;
}

/** The operation in progress that a git directory's files show. */
export function findOperation(files: readonly BytePath[]): string | null {
  const present = new Set(files);
  if (present.has('.git/rebase-apply/applying')) return 'am';
  if (files.some((path) => path.startsWith('.git/rebase-merge/') || path.startsWith('.git/rebase-apply/')))
    return 'rebase';
  if (present.has('.git/MERGE_HEAD')) return 'merge';
  if (present.has('.git/CHERRY_PICK_HEAD')) return 'cherry-pick';
  if (present.has('.git/REVERT_HEAD')) return 'revert';
  if (files.some((path) => path.startsWith('.git/sequencer/'))) return 'cherry-pick';
  return files.some((path) => path.startsWith('.git/BISECT_') && nameOf(path) !== 'BISECT_RUN') ? 'bisect' : null;
}

/** Whether a ref's target is a plain name below `refs/`, not a way out of the git directory. */
function isRefName(target: string): boolean {
  return target.startsWith('refs/') && !target.split('/').some((part) => part === '' || part === '.' || part === '..');
}
