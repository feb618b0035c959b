import type { LoggedEvent } from '@ramet/core/events';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import { throttle } from '../data/throttle.ts';
import { type LogView, RunLog } from './run-log.ts';

/** Events after which what is said of a session or run besides its log is another. */
const TELLING: ReadonlySet<string> = new Set([
  'message',
  'session.end',
  'session.title',
  'session.config',
  'tool.resolve',
  'node.enter',
  'node.exit',
  'gate.open',
  'gate.answer',
  'run.complete',
  'run.fail',
  'run.abandon',
]);

/** A run enters hundreds of nodes in a second: an answer that is asked for again each time never comes. */
const EVERY_MS = 500;

export interface HeldLog {
  readonly view: LogView;
  readonly loadEarlier: () => void;
}

/** The log of a session or run, followed while the component is there; `tail` as in `RunLogOptions`. */
export function useRunLog(id: string, tail?: number): HeldLog {
  const client = useApi();
  const queries = useQueryClient();
  const log = useMemo(() => {
    const invalidate = throttle(() => void queries.invalidateQueries({ queryKey: keys.of(id) }), EVERY_MS);
    const onEvent = ({ type }: LoggedEvent) => {
      if (TELLING.has(type)) invalidate();
    };
    return new RunLog({ client, id, onEvent, ...(tail === undefined ? {} : { tail }) });
  }, [client, id, queries, tail]);
  useEffect(() => {
    const stop = new AbortController();
    void log.open(stop.signal);
    return () => stop.abort();
  }, [log]);
  const view = useSyncExternalStore(log.subscribe, log.view);
  return { view, loadEarlier: log.loadEarlier };
}
