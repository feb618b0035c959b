import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../store/index.ts';
import { configValue, readPersonConfig } from '../../workspace/git/index.ts';
import type { Project } from '../../workspace/types.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/**
 * Who the agent commits as: the person, as their git configuration says. It is kept beside the project, so that a
 * session can go on when the repository is gone.
 */
export async function readIdentity(project: Project): Promise<Identity | null> {
  const kept = join(project.folder, 'identity.json');
  if (!existsSync(project.commonDir)) return readKept(kept);
  const config = await readPersonConfig(project.commonDir);
  const name = configValue(config, 'user.name');
  const email = configValue(config, 'user.email');
  if (name === undefined || email === undefined) return null;
  const known = readKept(kept);
  if (known?.name !== name || known.email !== email) {
    replaceFile(kept, Buffer.from(`${JSON.stringify({ name, email })}\n`), { sync: false });
  }
  return { name, email };
}

function readKept(path: string): Identity | null {
  try {
    const { name, email } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Identity>;
    return typeof name === 'string' && typeof email === 'string' ? { name, email } : null;
  } catch {
    return null;
  }
}
