export { evaluateCondition, evaluateExpression, evaluateList, evaluateTemplate } from './evaluate.ts';
export type { ExpressionScope } from './scope.ts';
