import { type Refusal, type RunId, refuse, SCHEMA } from '@ramet/core';
import type { LogOutline, OwnerInfo } from './types.ts';

export function refuseUnknown(id: RunId): Refusal {
  return refuse('unknown_run', `there is no run ${id}; \`ramet sessions\` and \`ramet runs\` list those there are`, {
    id,
  });
}

/** The words for a run in use: by whom, as far as that is known. */
export function refuseOwned(id: RunId, owner: OwnerInfo): Refusal {
  const { pid, host, start } = owner;
  const other = pid === undefined ? 'another process' : `process ${pid} on ${host ?? 'this host'}`;
  const since = start === undefined || owner.self ? '' : `, started ${start}`;
  const who = owner.self ? 'this process' : `${other}${since}`;
  return refuse('owned_elsewhere', `run ${id} is in use by ${who}; wait for it or end it, then try again`, {
    id,
    owner,
  });
}

/** The words for a damaged log: where, what was expected, what was found, what now. */
export function refuseDamaged(id: RunId, outline: Pick<LogOutline, 'damage' | 'heads'>): Refusal {
  const { damage, heads } = outline;
  const where = damage === null ? '' : ` in ${damage.segment}, line ${damage.line}, byte ${damage.byte}`;
  const what = damage === null ? '' : `: expected ${damage.expected}, found ${damage.found}`;
  const message = `the log of ${id} is damaged${where}${what}; nothing was changed; ${adviseOn(heads)}`;
  return refuse('log_damaged', message, { id, damage });
}

function adviseOn(heads: LogOutline['heads']): string {
  if (heads[0]?.graph !== undefined) return 'a damaged graph run is neither gone on with nor forked';
  const canFork = heads.some(({ boundaries }) => boundaries > 0);
  return canFork ? 'turns that ended before it can still be forked' : 'no turn ended before it';
}

export function refuseNewer(id: RunId, schema: number): Refusal {
  const message = `run ${id} was written with schema ${schema}; this version writes ${SCHEMA}: update ramet`;
  return refuse('log_newer', message, { id, schema });
}
