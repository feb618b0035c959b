/** The person's refs and HEAD, as data. */
import { git, splitLines } from '../git/index.ts';

/** Branches, tags and remote-tracking refs; what else lies below `refs/` (stash, bisect, replace) stays with the person. */
const NAMESPACES = ['refs/heads', 'refs/tags', 'refs/remotes'];

export interface PersonRef {
  readonly name: string;
  readonly id: string;
  /** The ref a symbolic one names; null for an ordinary one. */
  readonly symbolic: string | null;
}

export interface PersonHead {
  /** The ref HEAD names; null when detached. */
  readonly ref: string | null;
  /** The commit HEAD resolves to; null when unborn. */
  readonly commit: string | null;
}

export interface PersonRefs {
  readonly refs: readonly PersonRef[];
  readonly head: PersonHead;
}

/** Reads refs and HEAD of a checkout's repository; refs to objects that are missing are passed over, as git does. */
export async function readPersonRefs(gitDir: string): Promise<PersonRefs> {
  const [listed, head] = await Promise.all([
    git({ gitDir, args: ['for-each-ref', '--format=%(objectname) %(refname) %(symref)', ...NAMESPACES] }),
    readPersonHead(gitDir),
  ]);
  const refs = splitLines(listed.stdout).map((line): PersonRef => {
    const [id = '', name = '', symbolic = ''] = line.split(' ');
    return { name, id, symbolic: symbolic === '' ? null : symbolic };
  });
  return { refs: refs.filter(isText), head };
}

/** A ref whose name is not UTF-8 cannot be named in our answers; it stays with the person. */
function isText(ref: PersonRef): boolean {
  return !`${ref.name}${ref.symbolic ?? ''}`.includes('\ufffd');
}

/** Reads HEAD: symbolic, detached or unborn. */
export async function readPersonHead(gitDir: string): Promise<PersonHead> {
  const [symbolic, resolved] = await Promise.all([
    git({ gitDir, args: ['symbolic-ref', '-q', 'HEAD'], okExitCodes: [0, 1] }),
    git({ gitDir, args: ['rev-parse', '-q', '--verify', 'HEAD^{commit}'], okExitCodes: [0, 1, 128] }),
  ]);
  const named = symbolic.exitCode === 0 ? symbolic.stdout.toString().trimEnd() : null;
  const ref = named?.includes('\ufffd') ? null : named;
  const commit = resolved.exitCode === 0 ? resolved.stdout.toString().trimEnd() : null;
  return { ref, commit };
}
