export { type ForkContext, type ForkOptions, type ForkResult, forkKeyOf, forkSession } from './commit-fork.ts';
