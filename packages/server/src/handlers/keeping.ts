/** What is done with a session or run besides driving it: stopped, answered, named, checked, removed. */
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { describeDryRemoval, describeRemoval, describeVerification } from '@ramet/runtime/answers';
import { resolveCall, setTitle } from '@ramet/runtime/runs';
import { carryOutRemoval, planRemoval, type RemovalPlan, verifyRun } from '@ramet/runtime/upkeep';
import * as routes from '../contract/routes/either.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import { refuseMisfits } from '../http/validate.ts';
import { type Api, findNamed, mapAnswer, type Served } from './api.ts';

/** The endpoints that stop, answer and resolve. */
export function listDrivingEndpoints(api: Api): readonly Endpoint[] {
  const { daemon, services } = api;
  return [
    makeEndpoint(routes.interrupt, ({ path }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      return daemon.interrupt(id) ?? reply(202, { id });
    }),
    makeEndpoint(routes.answerApproval, ({ path: { id: text, callId }, body }) => {
      const id = findNamed(api, text);
      if (isRefusal(id)) return id;
      return daemon.answerAsk(id, callId, body) ?? reply(200, { id, callId });
    }),
    makeEndpoint(routes.resolveCall, async ({ path, body }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const { offset, resolution } = body;
      const hasResult = 'result' in body;
      if (hasResult !== (resolution === 'happened')) {
        const message = hasResult ? 'goes with `happened`' : 'is missing: what the call answered';
        return refuseMisfits([{ at: 'body.result', message }]);
      }
      const output = hasResult ? { output: { type: 'json' as const, value: body.result } } : {};
      const resolved = await resolveCall(services.store, { id, offset, resolution, ...output });
      return mapAnswer(resolved, (value) => reply(200, value));
    }),
  ];
}

/** The endpoints that name, verify and remove. */
export function listKeepingEndpoints(api: Served): readonly Endpoint[] {
  const { rows, services } = api;
  const { store, env } = services;
  const plan = async (text: string): Promise<RemovalPlan | Refusal> => {
    const id = findNamed(api, text);
    if (isRefusal(id)) return id;
    // To read all runs anew takes as long as there are many: as others did not change them just now, they are known.
    rows.find(id);
    return planRemoval({ store, env, all: rows.all() }, [id]);
  };
  return [
    makeEndpoint(routes.setTitle, async ({ path, body: { title } }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const set = await setTitle(store, id, title);
      return mapAnswer(set, ({ offset }) => reply(200, { id, title, offset }));
    }),
    makeEndpoint(routes.verify, async ({ path }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const verified = await verifyRun(store, id);
      return mapAnswer(verified, (found) => reply(200, describeVerification(found)));
    }),
    makeEndpoint(routes.planRemoval, async ({ path }) => {
      return mapAnswer(await plan(path.id), (found) => reply(200, describeDryRemoval(found)));
    }),
    makeEndpoint(routes.remove, async ({ path, query }) => {
      const planned = await plan(path.id);
      if (isRefusal(planned)) return planned;
      const unsaved = planned.runs.flatMap((run) => run.unsaved.map(({ message }) => message));
      if (unsaved.length > 0 && query.loseWork !== 'true') {
        const message = `nothing was removed: ${unsaved.join(', ')}; say loseWork=true to lose that`;
        return refuse('would_lose_work', message, { ...planned });
      }
      const outcome = await carryOutRemoval(store, planned);
      return mapAnswer(outcome, (done) => reply(200, describeRemoval(planned, done)));
    }),
  ];
}
