/**
 * Timing that holds on a shared machine: two things are measured in turn in the same run, and what is quoted is the
 * ratio of their medians.
 */

/** What one pairing measured; milliseconds. */
export interface Row {
  readonly name: string;
  readonly floor: string;
  readonly ms: number;
  readonly floorMs: number;
  readonly ratio: number;
  /** The least of all rounds: what there would be on a machine that does nothing else is nearer to it. */
  readonly leastMs: number;
  readonly leastFloorMs: number;
  /** What the project aims for, if it aims for something: at most this ratio, or these milliseconds in all or beyond the floor. */
  readonly target?: { readonly ratio?: number; readonly ms?: number; readonly beyondMs?: number };
  readonly note?: string;
}

export interface Pairing {
  readonly name: string;
  readonly floor: string;
  readonly rounds: number;
  /** Both are called once a round, in turn; each answers its milliseconds, or something else to be timed from outside. */
  readonly subject: (round: number) => unknown;
  readonly base: (round: number) => unknown;
  readonly target?: Row['target'];
  readonly note?: string | (() => string);
}

/** Runs a pairing after one round that is not counted. */
export async function measurePair(pairing: Pairing): Promise<Row> {
  const subject: number[] = [];
  const base: number[] = [];
  for (let round = -1; round < pairing.rounds; round += 1) {
    const [first, second] = [await timeOf(pairing.subject, round), await timeOf(pairing.base, round)];
    if (round < 0) continue;
    subject.push(first);
    base.push(second);
  }
  const [ms, floorMs] = [median(subject), median(base)];
  const note = typeof pairing.note === 'function' ? pairing.note() : pairing.note;
  return {
    name: pairing.name,
    floor: pairing.floor,
    ms,
    floorMs,
    ratio: ms / floorMs,
    leastMs: Math.min(...subject),
    leastFloorMs: Math.min(...base),
    ...(pairing.target === undefined ? {} : { target: pairing.target }),
    ...(note === undefined ? {} : { note }),
  };
}

async function timeOf(work: Pairing['subject'], round: number): Promise<number> {
  const started = performance.now();
  const own = await work(round);
  return typeof own === 'number' ? own : performance.now() - started;
}

/** The middle value; of an even number, the lower one. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
