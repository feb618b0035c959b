export { makeSite, type Site } from './site.ts';
