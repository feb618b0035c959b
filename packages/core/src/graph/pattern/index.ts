export { type BrokenPattern, compilePattern, type Pattern } from './match.ts';
