/** What answers each route of the contract. */
import type { Endpoint } from '../http/endpoint.ts';
import type { Api } from './api.ts';
import { listCheckEndpoints } from './checks.ts';
import { listDiffEndpoints } from './diffs.ts';
import { listForkEndpoints } from './forks.ts';
import { listGraphEndpoints } from './graphs.ts';
import { listInboxEndpoints } from './inbox.ts';
import { listDrivingEndpoints, listKeepingEndpoints } from './keeping.ts';
import { listLogEndpoints } from './log.ts';
import { excuseRemoved } from './removed.ts';
import { makeRows } from './rows.ts';
import { listRunEndpoints } from './runs.ts';
import { listSessionEndpoints } from './sessions.ts';
import { listSystemEndpoints } from './system.ts';
import { listWorkspaceEndpoints } from './workspaces.ts';

export type { Api } from './api.ts';

/** Every endpoint there is. */
export function listEndpoints(parts: Api): readonly Endpoint[] {
  const api = { ...parts, rows: makeRows(parts.services.store) };
  const endpoints = [
    ...listSessionEndpoints(api),
    ...listRunEndpoints(api),
    ...listForkEndpoints(api),
    ...listDrivingEndpoints(api),
    ...listKeepingEndpoints(api),
    ...listLogEndpoints(api),
    ...listWorkspaceEndpoints(api),
    ...listDiffEndpoints(api),
    ...listCheckEndpoints(api),
    ...listGraphEndpoints(api),
    ...listSystemEndpoints(api),
    ...listInboxEndpoints(api),
  ];
  return endpoints.map((endpoint) => excuseRemoved(api, endpoint));
}
