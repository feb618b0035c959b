/** The daemon and its machine, and what everything used. */
import { isRefusal } from '@ramet/core';
import { describeStoreUsage } from '@ramet/runtime/answers';
import { readConfiguration } from '@ramet/runtime/config';
import { readStoreUsage } from '@ramet/runtime/inspect';
import { listProviders } from '@ramet/runtime/model';
import { probeSandbox } from '@ramet/runtime/sandbox';
import { examineMachine } from '@ramet/runtime/upkeep';
import { listProjects } from '@ramet/runtime/workspace/gc';
import { readProject } from '@ramet/runtime/workspace/project';
import * as routes from '../contract/routes/system.ts';
import { type Endpoint, makeEndpoint, Rendered, reply } from '../http/endpoint.ts';
import type { Api, Served } from './api.ts';
import { keepBeside } from './rows.ts';

/** Examining the machine starts programs: once in a while is enough, however many ask. */
const KEPT_MS = 10_000;

/** The endpoints of the system. */
export function listSystemEndpoints(api: Served): readonly Endpoint[] {
  const { store, now } = api.services;
  const usageOf = keepBeside(() => new Rendered(describeStoreUsage(readStoreUsage(store))));
  const capabilities = keepFor(KEPT_MS, now, () => readCapabilities(api));
  return [
    makeEndpoint(routes.readCapabilities, async () => reply(200, await capabilities())),
    makeEndpoint(routes.readUsage, () => reply(200, usageOf(api.rows.all()))),
  ];
}

/** Reads something at most once in a while; what failed is read again. */
function keepFor<T>(periodMs: number, now: () => number, read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | null = null;
  return () => {
    const at = now();
    if (kept !== null && Math.abs(at - kept.at) < periodMs) return kept.value;
    const value = read();
    kept = { at, value };
    value.catch(() => {
      kept = null;
    });
    return value;
  };
}

async function readCapabilities({ services: { store, env }, version, cwd }: Api) {
  const { home } = store.layout;
  const [probe, checks, projects] = await Promise.all([
    probeSandbox(),
    examineMachine({ store, cwd, env, nodeVersion: process.versions.node }),
    readProjects(home),
  ]);
  return {
    version,
    stateFolder: home,
    platform: process.platform,
    sandbox: probe.kind === 'present' ? { available: true } : { available: false, reason: probe.reason },
    microVms: { available: false, reason: 'this version has no microVM driver' },
    models: { default: readDefaultModel(home, env), providers: listProviders(env) },
    projects,
    checks,
  };
}

/** The person's own: which project a new session is of is not known yet. */
function readDefaultModel(home: string, env: Api['services']['env']): string | null {
  if (env.RAMET_MODEL) return env.RAMET_MODEL;
  const read = readConfiguration({ env, home, checkout: null, trustProject: false });
  return isRefusal(read) ? null : (read.model ?? null);
}

/** A project whose record cannot be read is none to choose. */
async function readProjects(home: string): Promise<readonly { readonly id: string; readonly path: string }[]> {
  const found = await Promise.all(listProjects(home).map((id) => readProject({ stateFolder: home, id })));
  return found.flatMap((project) => (isRefusal(project) ? [] : [{ id: project.id, path: project.checkout }]));
}
