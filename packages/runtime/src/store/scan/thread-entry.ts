/** The entry of a thread that scans segments until none is left. What breaks it is met again by who follows the chain. */
import { openEntry, type ThreadData } from '../../threads/index.ts';
import { type ScannedAhead, type ScanWork, scanApart, takeSegment } from './claims.ts';

/** What a thread is started with. */
export interface ScanThreadData extends ThreadData {
  readonly serves: 'scan';
  readonly work: ScanWork;
  readonly taker: number;
}

/** What a thread says of each segment it took. */
export interface ScanReply {
  readonly name: string;
  readonly ahead: ScannedAhead | null;
}

/** Where this module lies. */
export const THREAD_URL = import.meta.url;

const entry = openEntry<ScanThreadData>('scan');
if (entry !== null) {
  const { work, taker } = entry.data;
  for (let segment = takeSegment(work, taker); segment !== null; segment = takeSegment(work, taker)) {
    entry.port.postMessage({ name: segment.name, ahead: scanApart(segment, work) } satisfies ScanReply);
  }
}
