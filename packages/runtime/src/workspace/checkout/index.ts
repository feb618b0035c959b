export { type CarryRequest, type CarrySource, carryFolders } from './carry.ts';
export { createCheckout } from './create.ts';
export { type CheckoutLimits, type CheckoutRequest, DEFAULT_CARRY, DEFAULT_CHECKOUT_LIMITS } from './types.ts';
