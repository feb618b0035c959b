/** The OpenAPI 3.1 document, made from the routes alone: no handler, no store. */
import { OpenAPIHono } from '@hono/zod-openapi';
import * as routes from './routes/index.ts';

/** Makes the document. */
export function makeDocument(version: string): object {
  const app = new OpenAPIHono();
  for (const route of Object.values(routes)) app.openAPIRegistry.registerPath(route);
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Ramet', version, description: 'Sessions and graph runs that fork.' },
    security: [{ token: [] }],
  });
}
