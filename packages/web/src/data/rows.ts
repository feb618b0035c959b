/** Sessions and graph runs as one list: what the list page, pickers and short ids are made from. */
import type { Client, Run, Session, Usage } from '@ramet/client';
import { renderCount } from '@ramet/core/text';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';

const PAGE = 1000;
/** Changes are told as they happen; this only catches what a broken connection missed. */
const FALLBACK_MS = 30_000;

/** A session or a graph run. */
export interface Row {
  readonly kind: 'session' | 'run';
  readonly id: string;
  readonly title: string;
  readonly state: Session['state'] | Run['state'];
  readonly project: string | null;
  readonly createdAt: string;
  readonly lastTime: string;
  readonly origin?: RowOrigin;
  readonly own: Usage;
  readonly inherited: Usage;
  readonly ownBytes: number;
  /** The model of a session, the document of a run. */
  readonly with?: string;
  /** `3 turns, 2 inherited`, `5 of 7 nodes`. */
  readonly progress: string;
}

export interface RowOrigin {
  readonly id: string;
  readonly offset: number;
  readonly fromNode?: string;
  readonly isRemoved: boolean;
}

/** All sessions and runs. */
export function useRows() {
  const api = useApi();
  return useQuery({
    queryKey: keys.rows,
    queryFn: ({ signal }) => readRows(api, signal),
    refetchInterval: FALLBACK_MS,
  });
}

async function readRows(api: Client, signal: AbortSignal): Promise<readonly Row[]> {
  const [sessions, runs] = await Promise.all([
    readPages(async (page) => {
      const { sessions: items, ...rest } = await api.call('listSessions', { query: page }, signal);
      return { items, ...rest };
    }),
    readPages(async (page) => {
      const { runs: items, ...rest } = await api.call('listRuns', { query: page }, signal);
      return { items, ...rest };
    }),
  ]);
  return [...sessions.map(rowOfSession), ...runs.map(rowOfRun)];
}

interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

async function readPages<T>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<PageOf<T>>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function rowOfSession(session: Session): Row {
  const { forkedFrom, model, turns, ownTurns } = session;
  const inherited = turns - ownTurns;
  const progress = `${renderCount(ownTurns, 'turn')}${inherited > 0 ? `, ${inherited} inherited` : ''}`;
  return {
    ...common('session', session),
    ...(forkedFrom === undefined ? {} : { origin: originOf(forkedFrom) }),
    ...(model === undefined ? {} : { with: model }),
    progress,
  };
}

function rowOfRun(run: Run): Row {
  const { forkedFrom, graph, nodes } = run;
  return {
    ...common('run', run),
    ...(forkedFrom === undefined ? {} : { origin: { ...originOf(forkedFrom), fromNode: forkedFrom.fromNode } }),
    with: graph.name ?? graph.hash.slice(0, 8),
    progress: `${nodes.done} of ${nodes.entered} nodes`,
  };
}

function common<K extends Row['kind']>(kind: K, { own, inherited, bytes, ...row }: Session | Run) {
  const { id, title, state, project, createdAt, lastTime } = row;
  const usage = { own: own.usage, inherited: inherited.usage, ownBytes: bytes.own };
  return { kind, id, title, state, project, createdAt, lastTime, ...usage };
}

function originOf({ id, offset, removed }: NonNullable<Session['forkedFrom']>): RowOrigin {
  return { id, offset, isRemoved: removed === true };
}
