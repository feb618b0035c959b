export { type ModelEndpoint, startModelEndpoint, type WireAnswer, type WireRequest } from './endpoint.ts';
export { renderEvent, renderWire, type Wire, type WireReply } from './wires.ts';
