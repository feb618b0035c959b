export { type Decode, renderContext } from './context.ts';
export { nextStep, type Step } from './next-step.ts';
export { type LastingRule, lastingRules } from './rules.ts';
export {
  type CallState,
  type ContextEvent,
  createSessionFold,
  type Descent,
  type KeyedMessage,
  type OpenTurn,
  type SessionFold,
  type SessionState,
  toolCallsOf,
} from './state.ts';
