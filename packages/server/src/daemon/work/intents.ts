/**
 * What this daemon has begun and not ended, on disk: after a crash or a restart it is taken up from there.
 *
 * 1. An intent is durable before the first event that follows from it can be acted on, and goes when the work has ended.
 * 2. It says how to go on, never what happened: that is in the log alone. One that is wrong or stale costs nothing.
 * 3. No secret is in it: keys are found in the environment, as when the work began.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { parseRunId, type RunId } from '@ramet/core';
import { diskFailure, makeFolder, replaceFile } from '@ramet/runtime/store';
import { Settings } from '../../contract/settings.ts';

const IntentShape = z.object({
  kind: z.enum(['turn', 'run']),
  /** Where a relative script path starts. */
  cwd: z.string(),
  settings: Settings,
});

/** How to go on with a run. */
export type Intent = z.infer<typeof IntentShape>;

export interface Intents {
  write(id: RunId, intent: Intent): void;
  remove(id: RunId): void;
  /** `intent` is null where the file cannot be understood. */
  list(): readonly { readonly id: RunId; readonly intent: Intent | null }[];
}

const SUFFIX = '.json';

/** Opens the intents of a state folder. */
export function openIntents(stateFolder: string): Intents {
  const folder = join(stateFolder, 'daemon', 'work');
  makeFolder(folder);
  // Left by a death in the middle of a write, or by somebody else: only the daemon writes here.
  for (const name of listNames(folder)) {
    if (idOf(name) === null) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const pathOf = (id: RunId): string => join(folder, `${id}${SUFFIX}`);
  return {
    write: (id, intent) => replaceFile(pathOf(id), Buffer.from(`${JSON.stringify(intent)}\n`), { sync: true }),
    remove: (id) => rmSync(pathOf(id), { force: true }),
    list: () =>
      listNames(folder).flatMap((name) => {
        const id = idOf(name);
        return id === null ? [] : [{ id, intent: readIntent(pathOf(id)) }];
      }),
  };
}

/** Null of what names no run. */
function idOf(name: string): RunId | null {
  return name.endsWith(SUFFIX) ? parseRunId(name.slice(0, -SUFFIX.length)) : null;
}

function readIntent(path: string): Intent | null {
  try {
    return IntentShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw diskFailure(`cannot read the folder ${folder}`, error);
  }
}
