export { listProviders, openModel, openNodeModels } from './opening.ts';
export { contextTokensOf, type PricedModel, type PriceQuestion, priceOf } from './price.ts';
export { refuseWithoutModel } from './refusals.ts';
export { planRetry, type RetryQuestion } from './retry.ts';
export {
  type Model,
  type ModelDelta,
  ModelFailure,
  type ModelReply,
  type ModelRequest,
  type ModelSpec,
  type NodeModels,
  type ToolDescription,
} from './types.ts';
