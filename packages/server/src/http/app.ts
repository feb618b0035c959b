/**
 * The HTTP application: who is let in, what each path answers, and what is said of everything else. It listens nowhere.
 *
 * 1. Whoever is not let in learns nothing and changes nothing: that is judged before anything else.
 * 2. Every path of the API that is not there, every method a path does not have and every throw is answered by a problem
 *    document; what is thrown is told to `onFault` where it is a fault of ours.
 */
import { describeError } from '@ramet/core';
import { Hono } from 'hono';
import { makeDocument } from '../contract/index.ts';
import { type Api, listEndpoints } from '../handlers/index.ts';
import type { AppEnv, Endpoint } from './endpoint.ts';
import { respondJson } from './headers.ts';
import { type Problem, respondProblem, statusOf } from './problem.ts';
import { makeSite } from './site/index.ts';

/** What the application is made of. */
export interface AppOptions extends Api {
  /** The folder of the built browser interface; null where there is none. */
  readonly web: string | null;
  /** Hears of errors that nobody expected, and of what broke underneath. */
  readonly onFault?: (error: unknown) => void;
  /** Hears of the status of each answer that is a no. */
  readonly onRefused?: (status: number) => void;
}

/** Of a caller that left, or a daemon that ends: nothing was refused. */
const CALLER_GONE = statusOf('interrupted');

/** An application: requests come in with the entrance they came by. */
export type App = Hono<AppEnv>;

/** Makes the application. */
export function makeApp({ web, onFault = () => {}, onRefused = () => {}, ...api }: AppOptions): App {
  const app: App = new Hono<AppEnv>();
  const document = makeDocument(api.version);
  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    const problem = context.env.entrance.judge(headers, !context.req.path.startsWith('/v1'));
    if (problem === null) await next();
    else context.res = respondProblem(problem);
    const { status } = context.res;
    if (status >= 400 && status !== CALLER_GONE) onRefused(status);
  });
  app.onError((error) => {
    const problem = describeError(error);
    const response = respondProblem(problem);
    if (response.status >= 500) onFault(error);
    return response;
  });
  app.get('/healthz', () => respondJson({ ok: true }));
  app.get('/openapi.json', () => respondJson(document));
  mountEndpoints(app, listEndpoints(api));
  const site = makeSite({ document, web });
  app.get('*', ({ req }) => site.respond(req.raw) ?? refusePath(req.path));
  app.all('*', ({ req }) => (site.has(req.path) ? refuseMethod(['GET', 'HEAD']) : refusePath(req.path)));
  return app;
}

/** A path that has other methods answers which. */
function mountEndpoints(app: App, endpoints: readonly Endpoint[]): void {
  const methods = new Map<string, string[]>();
  for (const { route, respond } of endpoints) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const method = route.method.toUpperCase();
    app.on(method, path, respond);
    methods.set(path, [...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  for (const [path, allowed] of methods) app.all(path, () => refuseMethod(allowed));
  for (const path of ['/healthz', '/openapi.json']) app.all(path, () => refuseMethod(['GET', 'HEAD']));
}

function refuseMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ');
  const problem: Problem = {
    code: 'method_not_allowed',
    message: `this path takes ${allow}`,
    data: { allowed },
    headers: { allow },
  };
  return respondProblem(problem);
}

function refusePath(path: string): Response {
  const message = `there is nothing at ${JSON.stringify(path.slice(0, 200))}; /docs lists what there is`;
  return respondProblem({ code: 'not_found', message });
}
