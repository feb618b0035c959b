import { decoderOf, type EventDraft, knownEvent, type TranscriptEntry, transcribe } from '@ramet/core';
import { buildSession, EVENT_FIXTURES, encodeLog } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';

/** The transcript of some events, read back as a page or a command reads them: from lines and payloads. */
function transcriptOf(drafts: readonly EventDraft[], lost: readonly string[] = []): readonly TranscriptEntry[] {
  const lines = encodeLog(drafts);
  const payloads = new Map<string, Uint8Array>(
    lines.flatMap((line) => line.payloads.map(({ digest, bytes }) => [digest, bytes] as const)),
  );
  for (const digest of lost) payloads.delete(digest);
  const decode = decoderOf({ readPayload: (digest) => payloads.get(digest) ?? null });
  return lines.flatMap(({ event }) => {
    const known = knownEvent(event);
    return known === null ? [] : transcribe(known, decode);
  });
}

describe('a transcript', () => {
  it('says what was asked, said, called and answered, each with the offset of its event', () => {
    const drafts = buildSession({
      turns: [{ prompt: 'try it', replies: [{ text: 'I will', calls: [{ callId: 'c' }] }, { text: 'done' }] }],
    });
    expect(transcriptOf(drafts)).toEqual([
      { kind: 'user', offset: 2, text: 'try it', files: [], notices: [] },
      { kind: 'assistant', offset: 4, text: 'I will' },
      { kind: 'call', offset: 4, callId: 'c', tool: 'shell', input: { command: 'true' } },
      { kind: 'result', offset: 6, callId: 'c', tool: 'shell', outcome: 'ok', output: { type: 'text', value: 'done' } },
      { kind: 'assistant', offset: 8, text: 'done' },
    ]);
  });

  it('leaves out what a reply to another purpose than a turn says', () => {
    const fixture = EVENT_FIXTURES['model.response'];
    expect(transcriptOf([fixture])).not.toEqual([]);
    expect(transcriptOf([{ ...fixture, purpose: 'compact' }])).toEqual([]);
  });

  it('names a request that failed by its code', () => {
    const error = { code: 'model_failed', message: 'no such model' };
    const { message: _, ...failed } = EVENT_FIXTURES['model.response'];
    expect(transcriptOf([{ ...failed, error }])).toEqual([{ kind: 'failed_request', offset: 0, ...error }]);
  });

  it('notes bytes by their number, so that it is JSON', () => {
    const data = new Uint8Array([1, 2, 3]);
    const output = { type: 'json', value: { data } } as const;
    const [entry] = transcriptOf([{ ...EVENT_FIXTURES['tool.result'], output }]);
    expect(entry).toMatchObject({ output: { value: { data: '[3 bytes that are not text]' } } });
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });

  it('reads a long text back from its payload, and says so where that is lost', () => {
    const content = 'long '.repeat(100_000);
    const draft: EventDraft = { type: 'message', message: { role: 'user', content } };
    expect(transcriptOf([draft])).toMatchObject([{ kind: 'user', text: content }]);
    const [digest = ''] = encodeLog([draft]).flatMap(({ payloads }) => payloads.map((payload) => payload.digest));
    const [entry] = transcriptOf([draft], [digest]);
    expect(entry).toMatchObject({ kind: 'user', text: expect.stringContaining(digest) });
  });
});
