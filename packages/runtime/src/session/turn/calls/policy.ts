/** What a graph run knows about the calls of its agents: their keys, and what was called before them elsewhere. */
import type { Contained, Effect, OutstandingWrite } from '@ramet/core';

/** A call that is about to be made; its input is decoded. `index`: among the calls of its turn, from 0. */
export interface PolicyCall {
  readonly index: number;
  readonly tool: string;
  readonly input: unknown;
  readonly effect: Effect;
  readonly contained: Contained;
  /** Fields of the input that do not say which write it is. */
  readonly volatile?: readonly string[];
}

/**
 * What earlier calls say about one. `acknowledged`: a person allowed this very write to be made again, once. `ask`: it is
 * one of those, or may be, and nobody has. `known`: the receiver honours its key, so it is given that of the earlier call.
 */
export type PolicyVerdict =
  | { readonly kind: 'acknowledged'; readonly offset: number }
  | { readonly kind: 'ask'; readonly reason: string; readonly outstanding: readonly OutstandingWrite[] }
  | { readonly kind: 'known'; readonly key: string };

export interface CallPolicy {
  /** The key of a call that is issued now for the first time. */
  keyOf(call: Pick<PolicyCall, 'index' | 'input'>): string;
  /** Null when nothing earlier speaks of the call. */
  judge(call: PolicyCall): PolicyVerdict | null;
}
