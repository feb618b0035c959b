/** Everything core derives from a log, through its public functions and with nothing but JavaScript. */
import {
  CHAIN_START,
  createOutliner,
  createSessionFold,
  type Digest,
  decodeValue,
  deriveSessionOverview,
  followChain,
  isRefusal,
  nextStep,
  planFork,
  renderContext,
  type SegmentOutline,
  type Sha256,
} from '../src/index.ts';
import { utf8Bytes, utf8Text } from '../src/text/bytes.ts';
import type { GoldenRun } from './golden-runs.ts';

/** What a run amounts to, as JSON. */
export function replay(run: GoldenRun, sha256: Sha256): string {
  const session = createSessionFold();
  let chain = CHAIN_START;
  const outlines = run.segments.map((text): SegmentOutline => {
    const outliner = createOutliner(chain.seq, chain.prev);
    let position = 0;
    for (const line of text.split('\n').slice(0, -1)) {
      const bytes = utf8Bytes(line);
      const step = followChain(chain, { text: line, bytes }, sha256);
      if (step.kind === 'broken') throw new Error(`expected ${step.expected}, found ${step.found}`);
      chain = step.next;
      outliner.add({ event: step.event, position, bytes: bytes.length });
      session.add(step.event);
      position += bytes.length + 1;
    }
    return outliner.finish(chain.prev);
  });
  const source = {
    heads: outlines.map(({ head }) => head),
    readDetail: (segment: number) => (outlines[segment] as SegmentOutline).detail,
    readLine: (segment: number, position: number, bytes: number) => {
      const line = utf8Bytes(run.segments[segment] ?? '').subarray(position, position + bytes);
      return JSON.parse(utf8Text(line)) as unknown;
    },
  };
  const plan = planFork(source, { at: firstEnd(outlines) });
  return JSON.stringify({
    overview: deriveSessionOverview(source.heads),
    plan: isRefusal(plan) ? plan.code : plan,
    step: nextStep(session.state),
    context: shorten(renderContext(session.state.context, (value) => decodeValue(value, payloadOf(run)))),
  });
}

function firstEnd(outlines: readonly SegmentOutline[]): number {
  return outlines.flatMap(({ detail }) => detail.boundaries)[0]?.offset ?? -1;
}

function payloadOf(run: GoldenRun): (digest: Digest) => Uint8Array | null {
  return (digest) => (run.payloads[digest] === undefined ? null : utf8Bytes(run.payloads[digest]));
}

/** A long text is told by its length. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 1000 ? `${value.length} characters` : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shorten(entry)]));
}
