export * from './either.ts';
export * from './runs.ts';
export * from './sessions.ts';
export * from './system.ts';
