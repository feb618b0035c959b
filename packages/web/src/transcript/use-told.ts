/** Entries whose values lie outside of their line: loaded when somebody looks. */
import type { Client } from '@ramet/client';
import type { PayloadReference } from '@ramet/core/log';
import { decoderOf, type TranscriptEntry, transcribe } from '@ramet/core/transcript';
import { useQuery } from '@tanstack/react-query';
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
const NO_BYTES: ReadonlyMap<string, Uint8Array> = new Map();

/** Payloads by their digest; null until all of them are there. */
export function usePayloads(id: string, payloads: readonly PayloadReference[]) {
  const api = useApi();
  const digests = payloads.map(({ $blob }) => $blob);
  const { data, error, isFetching } = useQuery({
    queryKey: keys.payloads(id, digests),
    queryFn: ({ signal }) => readPayloads(api, { id, digests }, signal),
    enabled: digests.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
  return { bytes: digests.length === 0 ? NO_BYTES : (data ?? null), isLoading: isFetching, error };
}

async function readPayloads(
  api: Client,
  { id, digests }: { readonly id: string; readonly digests: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = async (digest: string) => {
    const response = await api.open('readPayload', { path: { id, digest } }, { signal });
    return [digest, new Uint8Array(await response.arrayBuffer())] as const;
  };
  return new Map(await Promise.all(digests.map(read)));
}
