export * from './document/index.ts';
export * from './expression/index.ts';
export * from './walk/index.ts';
