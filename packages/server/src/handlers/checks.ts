/** Runs a project's `check` command in the files of a turn. */
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { type CheckResult, runCheck } from '@ramet/runtime/compare';
import { type Configuration, readConfiguration } from '@ramet/runtime/config';
import { findTurnCheckpoint } from '@ramet/runtime/workspace/browse';
import * as routes from '../contract/routes/either.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import type { Problem } from '../http/problem.ts';
import { type Api, findNamed, mapAnswer } from './api.ts';
import { Turnstile } from './turnstile.ts';

/** Each runs a command of the project and holds a copy of its files. */
const AT_ONCE = 4;
const WAITING = 32;

/** The endpoint of checks. */
export function listCheckEndpoints(api: Api): readonly Endpoint[] {
  const { store, env } = api.services;
  const turnstile = new Turnstile({ atOnce: AT_ONCE, waiting: WAITING });
  return [
    makeEndpoint(routes.check, async ({ path, body, signal }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const turn = { id, ...given({ at: body.at }) };
      const found = await findTurnCheckpoint(store, turn);
      if (isRefusal(found)) return found;
      const { checkout } = found.project;
      const trustProject = body.trustProject === true;
      const configuration = readConfiguration({ env, home: store.layout.home, checkout, trustProject });
      if (isRefusal(configuration)) return configuration;
      const { check: command, carry } = configuration;
      if (command === undefined) return refuseWithoutCommand(configuration);
      const clock = () => performance.now();
      const run = () => runCheck({ store, turn, command, carry, clock, signal });
      const result = await turnstile.pass(signal, run);
      return result === null ? TOO_MANY : mapAnswer(result, (done) => reply(200, describeCheck(done)));
    }),
  ];
}

const TOO_MANY: Problem = {
  code: 'too_many_requests',
  message: `${AT_ONCE} checks run and ${WAITING} wait already: try again when some are done`,
  data: { running: AT_ONCE, waiting: WAITING },
  headers: { 'retry-after': '5' },
};

function refuseWithoutCommand({ ignored, project }: Configuration): Refusal {
  if (ignored.includes('check')) {
    const message = `the check command of ${project?.path ?? 'the project'} is not confirmed: read it, then say trustProject`;
    return refuse('not_confirmed', message, { ...project });
  }
  return refuse('bad_config', 'no check command is configured: `check` of ramet.json names one', {});
}

function describeCheck({ stdout, stderr, ...result }: CheckResult) {
  return { ...result, stdout: describeOutput(stdout), stderr: describeOutput(stderr) };
}

function describeOutput({ bytes, dropped }: CheckResult['stdout']) {
  return { text: Buffer.from(bytes).toString('utf8'), dropped };
}
