/** Entries whose values lie outside of their line: loaded when somebody looks. */
import type { Client } from '@ramet/client';
import type { PayloadReference } from '@ramet/core/log';
import { decoderOf, type TranscriptEntry, transcribe } from '@ramet/core/transcript';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';
import type { Told } from './types.ts';

/** Payloads are what their digest says: one that is loaded never changes. They are large: kept for a moment only. */
const KEPT_MS = 60_000;

export interface LoadedEntry<E> {
  readonly entry: E;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** The entry with its payloads once `isWanted`; until then with notes in their place. */
export function useTold<E extends TranscriptEntry>(id: string, told: Told<E>, isWanted: boolean): LoadedEntry<E> {
  const { bytes, isLoading, error } = usePayloads(id, isWanted ? told.payloads : NONE);
  const entry = useMemo(() => {
    if (bytes === null || bytes.size === 0) return told.entry;
    const decode = decoderOf({ readPayload: (digest) => bytes.get(digest) ?? null });
    return (transcribe(told.event, decode)[told.index] as E | undefined) ?? told.entry;
  }, [told, bytes]);
  return { entry, isLoading, error };
}

const NONE: readonly PayloadReference[] = [];

/** Payloads by their digest; null until all of them are there. */
export function usePayloads(id: string, payloads: readonly PayloadReference[]) {
  const api = useApi();
  return useQueries({
    queries: payloads.map(({ $blob: digest }) => ({
      queryKey: keys.payload(id, digest),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readPayload(api, { id, digest }, signal),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: KEPT_MS,
      structuralSharing: false,
    })),
    combine: (results) => ({
      bytes: results.every(({ data }) => data !== undefined)
        ? new Map(payloads.map(({ $blob }, index) => [$blob as string, results[index]?.data ?? new Uint8Array()]))
        : null,
      isLoading: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
}

async function readPayload(
  api: Client,
  path: { readonly id: string; readonly digest: string },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await api.open('readPayload', { path }, { signal });
  return new Uint8Array(await response.arrayBuffer());
}
