/** A value of the log as JSON, or as the text it is; what lies outside of its line is loaded. */
import { payloadsIn } from '@ramet/core/log';
import { renderJson } from '@ramet/core/text';
import { decoderOf } from '@ramet/core/transcript';
import { useMemo } from 'react';
import { usePayloads } from '../../transcript/use-told.ts';
import { BoundedText } from '../../ui/bounded-text.tsx';
import { Loading, Trouble } from '../../ui/states.tsx';

export interface ValueViewProps {
  /** The run. */
  readonly id: string;
  /** As its event has it. */
  readonly value: unknown;
}

/** The value. */
export function ValueView({ id, value }: ValueViewProps) {
  const payloads = useMemo(() => payloadsIn({ value }), [value]);
  const { bytes, error } = usePayloads(id, payloads);
  const text = useMemo(() => {
    if (bytes === null) return null;
    const decoded = decoderOf({ readPayload: (digest) => bytes.get(digest) ?? null })(value);
    return typeof decoded === 'string' ? decoded : renderJson(decoded, 2);
  }, [value, bytes]);
  if (error !== null) return <Trouble error={error} />;
  if (text === null) return <Loading what="a long value" />;
  return <BoundedText isMono text={text} className="rounded bg-raised p-2" />;
}
