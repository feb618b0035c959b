/**
 * How much of the agent's git directory a capture takes in.
 *
 * 1. The agent decides what lies there: a pack of a KiB can stand for terabytes, and a chain of tags for hours. Every
 *    step that reads it has a bound.
 * 2. What is over one makes the git directory unusable for that checkpoint, which says so: the files are held all the
 *    same.
 */
import { Failure } from '@ramet/core/codes';
import { type GitOutcome, type GitSpec, git } from '../../git/index.ts';

/** The agent's git directory is more than a checkpoint takes; the message says what of it, and the limit. */
export class AgentGitOverLimit extends Error {}

/** One object in memory; git holds a few of them for each thread. */
const OBJECT_LIMIT = '1g';
/** Of an `index-pack`: with its memory per thread, about 4 GiB in all. */
export const INDEX_THREADS = 2;
/** Ids in reflogs and other files of git that are asked for; a repository with a long history mentions thousands. */
export const MOST_MENTIONED = 1 << 18;
/** Text of such files that is looked through for ids. */
export const MOST_SCANNED_BYTES = 256 * 1024 * 1024;
/** Tags of tags of tags. */
export const LONGEST_TAG_CHAIN = 64;

/** Runs the host's git on what came from the agent, with a bound on its memory; throws `AgentGitOverLimit` over time. */
export async function takeWithin(timeMs: number, spec: GitSpec): Promise<GitOutcome> {
  try {
    return await git({ ...spec, env: { ...spec.env, GIT_ALLOC_LIMIT: OBJECT_LIMIT }, timeoutMs: timeMs });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.data.timedOut === true) throw new AgentGitOverLimit(`git ${spec.args[0]} took longer than ${timeMs} ms`);
    if (OVER_OBJECT_LIMIT.test(String(error.data.stderr))) {
      throw new AgentGitOverLimit('one of its objects is a delta that makes more than 1 GiB');
    }
    throw error;
  }
}

/** What git says of an allocation beyond `GIT_ALLOC_LIMIT`. */
const OVER_OBJECT_LIMIT = /attempting to allocate \d+ over limit/;

/** Bytes for a message. */
export function describeBytes(bytes: number): string {
  const gibibytes = bytes / 2 ** 30;
  return Number.isInteger(gibibytes) ? `${gibibytes} GiB` : `${bytes} bytes`;
}
