/**
 * Files made up for the sandbox, handed over as descriptors of files that no longer have a name: nothing is left
 * behind by a crash, and no command can reach or change them.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryFailure } from './temporary.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Guest path and content of each generated file of `/etc`. */
export function makeEtcFiles(
  account: Account,
  gitConfig: string,
): readonly (readonly [path: string, content: string])[] {
  const { name, uid, gid } = account;
  const others: string[] = [];
  if (uid !== 0) others.push('root:x:0:0:root:/root:/bin/sh');
  if (uid !== 65534) others.push('nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin');
  return [
    ['/etc/passwd', `${[`${name}:x:${uid}:${gid}:${name}:/tmp/home:/bin/sh`, ...others].join('\n')}\n`],
    ['/etc/group', `${name}:x:${gid}:\nnogroup:x:65534:\n`],
    ['/etc/hosts', '127.0.0.1 localhost ramet\n::1 localhost\n'],
    ['/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n'],
    ['/etc/gitconfig', gitConfig],
  ];
}

/** Who commits where the person's git has no identity: a commit that fails helps nobody. */
export const AGENT_IDENTITY = { name: 'Ramet agent', email: 'agent@ramet.invalid' };

/** The system-wide git configuration of commands: who commits, and that the workspace is trusted. */
export function makeGitConfig(identity: { readonly name: string; readonly email: string } | undefined): string {
  const { name, email } = identity ?? AGENT_IDENTITY;
  const user = `[user]\n\tname = ${quote(name)}\n\temail = ${quote(email)}\n`;
  return `${user}[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n`;
}

/** A value of a git configuration file (gitconfig(5), "Values"). */
function quote(value: string): string {
  const oneLine = value.replace(/[\0\r\n]/g, ' ');
  return `"${oneLine.replace(/[\\"]/g, (character) => `\\${character}`)}"`;
}

/** Opens a nameless file with this content, positioned at its start; the caller closes the descriptor. */
export function openNamelessFile(content: string | Uint8Array): number {
  const path = join(tmpdir(), `ramet-${randomUUID()}`);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    // With a position: the child reads from the shared offset, which must stay at 0.
    if (bytes.length > 0) writeSync(descriptor, bytes, 0, bytes.length, 0);
    return descriptor;
  } catch (cause) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw makeTemporaryFailure('file', cause);
  }
}
