export * from './codes/index.ts';
export * from './events/index.ts';
export * from './fork/index.ts';
export * from './log/index.ts';
export * from './runs/index.ts';
export * from './session/index.ts';
export * from './text/index.ts';
export * from './usage/index.ts';
