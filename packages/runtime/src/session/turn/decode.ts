import { type Decode, decodeValue } from '@ramet/core';
import type { LogReader } from '../../store/index.ts';

/** Decodes values of a log, payloads read from beside it. */
export function decodeWith(log: Pick<LogReader, 'readPayload'>): Decode {
  return (value) => decodeValue(value, log.readPayload);
}
