export { type ServeOptions, type Serving, serve } from './serve.ts';
