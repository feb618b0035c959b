export { makeDocument } from './document.ts';
export * as routes from './routes/index.ts';
