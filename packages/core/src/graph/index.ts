export * as build from './build/index.ts';
export * from './document/index.ts';
export * from './expression/index.ts';
export * from './pattern/index.ts';
export * from './walk/index.ts';
