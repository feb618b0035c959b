export { type AnswerOf, type Client, type Fetch, makeClient, type OperationName, type RequestOf } from './client.ts';
export { type Followed, type FollowOptions, followRun } from './follow.ts';
export type * from './generated.ts';
export { ApiProblem, Unreachable } from './problem.ts';
export { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';
