export { answerRunGate, type GateAnswer } from './gate-answer.ts';
export { type Resolution, type ResolutionRequest, resolveCall } from './resolution.ts';
export { setTitle } from './title.ts';
