import { readFileSync } from 'node:fs';
import { isRefusal, refuse } from '@ramet/core/codes';
import { escapeLine, escapeText } from '@ramet/core/text';
import { isTrusted, readProjectFile, recordTrust } from '@ramet/runtime/config';
import { findRepository } from '@ramet/runtime/workspace/project';
import { isInteractive } from '../context.ts';
import type { TrustFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { stateFolderIn } from '../store.ts';

/** Confirms the project's configuration file. */
export const trust: Action<TrustFlags, []> = async (context, flags) => {
  const repository = await findRepository(context.cwd);
  if (isRefusal(repository)) return repository;
  const checkout = repository?.checkout ?? context.cwd;
  const file = readProjectFile(checkout);
  if (isRefusal(file)) return file;
  if (file === null) return refuse('nothing_to_do', `there is no ramet.json in ${checkout}`, { checkout });
  const { path, digest } = file;
  const home = stateFolderIn(context);
  const json = { path, digest, trusted: true };
  if (isTrusted(home, digest)) return { json, text: `${escapeLine(path)} is confirmed already\n` };
  if (!flags.yes) {
    if (!isInteractive(context)) {
      return refuse('not_confirmed', `pass --yes to confirm ${path} as it is now`, { path, digest });
    }
    context.stderr.write(`${escapeText(readFileSync(path, 'utf8'))}\n`);
    const { askYesNo } = await import('./ask.ts');
    if (!(await askYesNo(`Let this ${path} allow what it says?`))) {
      return refuse('not_confirmed', `${path} was not confirmed`, { path, digest });
    }
  }
  recordTrust(home, digest, path);
  return { json, text: `confirmed ${escapeLine(path)}\n` };
};
