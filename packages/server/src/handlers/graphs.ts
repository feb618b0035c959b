/** Graph documents: checked, kept and read. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Digest, GRAPH_SCHEMA, type GraphDocument, hashGraph, parseDigest } from '@ramet/core';
import { refuseDocument } from '@ramet/runtime/graph';
import { type FileStore, keepGraph, readGraph, sha256 } from '@ramet/runtime/store';
import * as routes from '../contract/routes/system.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import type { Problem } from '../http/problem.ts';
import type { Api } from './api.ts';

const DOCUMENT_BYTES = 8 * 1024 * 1024;

/** The endpoints of graph documents. */
export function listGraphEndpoints({ services: { store, functions = [] } }: Api): readonly Endpoint[] {
  return [
    makeEndpoint(
      routes.submitGraph,
      async ({ body }) => {
        const refusal = await refuseDocument(body, functions);
        if (refusal !== null) return refusal;
        const document = body as unknown as GraphDocument;
        const graph = hashGraph(document, sha256);
        keepGraph(store.layout.home, graph, Buffer.from(canonicalJson(document)));
        return reply(201, { graph });
      },
      { limitBytes: DOCUMENT_BYTES },
    ),
    makeEndpoint(
      routes.validateGraph,
      async ({ body }) => {
        const refusal = await refuseDocument(body, functions);
        if (refusal === null) {
          const graph = hashGraph(body as unknown as GraphDocument, sha256);
          return reply(200, { ok: true, graph, problems: [] });
        }
        const { code, message, data } = refusal;
        const problems = data.problems as readonly { readonly at: string; readonly message: string }[];
        return reply(200, { code, message, ok: false, problems });
      },
      { limitBytes: DOCUMENT_BYTES },
    ),
    makeEndpoint(routes.readGraph, ({ path: { hash } }) => {
      const value = findGraphDocument(store, parseDigest(hash));
      return value === null ? refuseUnknownGraph(hash) : reply(200, value);
    }),
    makeEndpoint(routes.readGraphSchema, () => reply(200, GRAPH_SCHEMA)),
  ];
}

/** A document that is kept; null when there is none by that hash. Throws `log_damaged` for one that is not what it was. */
export function findGraphDocument(store: FileStore, hash: Digest | null): GraphDocument | null {
  if (hash === null || !existsSync(join(store.layout.graphs, `${hash}.json`))) return null;
  return JSON.parse(Buffer.from(readGraph(store.layout.home, hash)).toString('utf8')) as GraphDocument;
}

/** Says that no document has a hash. */
export function refuseUnknownGraph(hash: string): Problem {
  return { code: 'not_found', message: `no document is kept by the hash ${JSON.stringify(hash.slice(0, 100))}` };
}
