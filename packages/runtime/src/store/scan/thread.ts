/** A thread that takes segments and scans them, as the one that started it sees it. */
import { startThread } from '../../threads/index.ts';
import type { ScannedAhead } from './claims.ts';
import type { ScanReply, ScanThreadData } from './thread-entry.ts';

export interface ScanThread {
  /** Settles when it has answered for all it took, or ended. To be asked when nothing is left to take. */
  answered(): Promise<void>;
  end(): void;
}

/** Starts one; what it scans is added to `scans`. */
export function startScan(
  url: string,
  { work, taker }: Pick<ScanThreadData, 'work' | 'taker'>,
  scans: Map<string, ScannedAhead>,
): ScanThread {
  const data: ScanThreadData = { serves: 'scan', work, taker };
  const worker = startThread(url, data);
  let answers = 0;
  let ended = false;
  let settle = (): void => {};
  const owed = (): number => work.takers.reduce((sum, by) => sum + (by === taker ? 1 : 0), 0) - answers;
  worker.on('message', ({ name, ahead }: ScanReply) => {
    answers += 1;
    if (ahead !== null) scans.set(name, ahead);
    if (owed() === 0) settle();
  });
  worker.on('exit', () => {
    ended = true;
    settle();
  });
  return {
    answered: () => {
      if (ended || owed() === 0) return Promise.resolve();
      worker.ref();
      return new Promise((resolve) => {
        settle = resolve;
      });
    },
    end: () => void worker.terminate(),
  };
}
