/**
 * The values of a run, as its walk reads them: what was left in a line or beside the log is read when it is needed, and
 * what is lost or changed is no value: nothing is done with it.
 */
import { type Decode, decodeValue, Failure } from '@ramet/core';
import { type LogReader, sha256, ValueInLine } from '../../store/index.ts';

/** Turns values of a log back; throws `log_damaged` for one whose payload is not what the log names. */
export function makeStrictDecode({ id, readPayload }: Pick<LogReader, 'id' | 'readPayload'>): Decode {
  return (value) =>
    decodeValue(value instanceof ValueInLine ? value.read() : value, (digest) => {
      const bytes = readPayload(digest);
      if (bytes !== null && sha256(bytes) === digest) return bytes;
      const what = bytes === null ? 'has lost' : 'holds other bytes than its log says of';
      const message = `run ${id} ${what} the payload ${digest} (a value that its next step needs); nothing was done with it; put the file back from a backup, or fork the run before it`;
      throw new Failure('log_damaged', message, { data: { id, payload: digest } });
    });
}
