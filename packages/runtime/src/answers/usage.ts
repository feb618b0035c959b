import type { RunId, UsageSum } from '@ramet/core';
import type { StoreUsage } from '../inspect/index.ts';

/** Usage in answers: tokens, what is not known, and the cost by currency where any is known. */
export interface DescribedUsage extends Omit<UsageSum, 'cost'> {
  /** In major units, without the noise in which sums of binary fractions end. */
  readonly cost?: Readonly<Record<string, number>>;
}

/** What is answered of a sum. */
export function describeUsage(sum: UsageSum): DescribedUsage {
  const { cost, ...tokens } = sum;
  const known = Object.entries(cost).map(([currency, amount]) => [currency, roundMoney(amount)] as const);
  return { ...tokens, ...(known.length === 0 ? {} : { cost: Object.fromEntries(known) }) };
}

function roundMoney(amount: number): number {
  return Number(amount.toFixed(6));
}

/** Usage of one run: what it did itself, and what it inherited. */
export interface DescribedRunUsage {
  readonly id: RunId;
  readonly title: string;
  readonly own: DescribedUsage;
  readonly inherited: DescribedUsage;
}

/** Usage of a store, or of some of its runs. */
export interface DescribedStoreUsage {
  readonly total: DescribedUsage;
  readonly sessions: readonly DescribedRunUsage[];
  readonly runs: readonly DescribedRunUsage[];
  readonly removed: readonly { readonly id: RunId; readonly usage: DescribedUsage }[];
  readonly incomplete: readonly RunId[];
}

/** What is answered of the usage of a store. */
export function describeStoreUsage({ total, sessions, runs, removed, incomplete }: StoreUsage): DescribedStoreUsage {
  return {
    total: describeUsage(total),
    sessions: sessions.map(describeRunUsage),
    runs: runs.map(describeRunUsage),
    removed: removed.map(({ id, usage }) => ({ id, usage: describeUsage(usage) })),
    incomplete,
  };
}

function describeRunUsage({ own, inherited, ...run }: StoreUsage['runs'][number]): DescribedRunUsage {
  return { ...run, own: describeUsage(own), inherited: describeUsage(inherited) };
}
