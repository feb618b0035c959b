/**
 * Runs that are removed while a request is at them.
 *
 * 1. Whoever removes a run takes from under whoever reads it what they read: that is no fault, the run is unknown.
 * 2. A fault of a run that is still there stays a fault.
 */
import { isRefusal, type Refusal } from '@ramet/core';
import type { Endpoint } from '../http/endpoint.ts';
import { respondProblem } from '../http/problem.ts';
import { type Api, findNamed } from './api.ts';

/** The same endpoint; its faults are `unknown_run` where a run that the request names is gone by then. */
export function excuseRemoved(api: Api, endpoint: Endpoint): Endpoint {
  if (!endpoint.route.path.includes('{id}')) return endpoint;
  const respond: Endpoint['respond'] = async (context) => {
    const { req } = context;
    const named = [req.param('id'), req.param('other') ?? req.query('other')];
    try {
      const response = await endpoint.respond(context);
      const gone = response.status < 500 ? null : findGone(api, named);
      return gone === null ? response : respondProblem(gone);
    } catch (error) {
      const gone = findGone(api, named);
      if (gone === null) throw error;
      return respondProblem(gone);
    }
  };
  return { ...endpoint, respond };
}

function findGone(api: Api, named: readonly (string | undefined)[]): Refusal | null {
  for (const text of named) {
    const found = text === undefined ? null : findNamed(api, text);
    if (isRefusal(found) && found.code === 'unknown_run') return found;
  }
  return null;
}
