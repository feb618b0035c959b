export { canonicalJson } from './canonical.ts';
export { CHAIN_START, type ChainState, type ChainStep, followChain } from './chain.ts';
export { type EncodedLine, encodeLine, LINE_LIMIT_BYTES, parseLine } from './line.ts';
export type { NodeMark } from './node-mark.ts';
export {
  type BoundaryMark,
  createOutliner,
  type ForkMark,
  type Outliner,
  resumeOutliner,
  type SegmentDetail,
  type SegmentHead,
  type SegmentOutline,
  type WriteMark,
  type WriteOutcomeMark,
} from './outline.ts';
export { deriveOverview, type ForkOrigin, type RunOverview, splitUsage } from './overview.ts';
export {
  decodeValue,
  isPayloadReference,
  PAYLOAD_LIMIT_BYTES,
  type Payload,
  type PayloadReference,
  payloadsIn,
} from './payload.ts';
