export { canonicalJson } from './canonical.ts';
export {
  CHAIN_START,
  type ChainState,
  type ChainStep,
  chainAfter,
  encodeNext,
  followChain,
  lastDigestOf,
  type RunChain,
} from './chain.ts';
export { type EncodedLine, encodeLine, LINE_LIMIT_BYTES, parseLine } from './line.ts';
export * from './outline/index.ts';
export * from './overview/index.ts';
export {
  decodeValue,
  PAYLOAD_LIMIT_BYTES,
  type Payload,
  type PayloadReference,
  payloadsIn,
} from './payload.ts';
