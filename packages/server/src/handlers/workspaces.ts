/**
 * Files: those of a turn, how they differ, and what is brought to the person.
 *
 * 1. Files are read from checkpoints, never from a workspace somebody works in.
 * 2. Names and contents are the agent's: they go out as text in JSON, or as bytes to be saved.
 */
import { isUtf8 } from 'node:buffer';
import { isRefusal, type Refusal } from '@ramet/core';
import { describeApplied } from '@ramet/runtime/answers';
import { applyWork } from '@ramet/runtime/upkeep';
import { findTurnCheckpoint, listCheckpointFolder, readCheckpointPart } from '@ramet/runtime/workspace/browse';
import * as routes from '../contract/routes/either.ts';
import { given } from '../daemon/given.ts';
import { refuseFolder } from '../daemon/place.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import type { Problem } from '../http/problem.ts';
import { type Api, findNamed, mapAnswer } from './api.ts';
import { respondBytes } from './log.ts';

/** The endpoints of files. */
export function listWorkspaceEndpoints(api: Api): readonly Endpoint[] {
  const { store } = api.services;
  return [
    makeEndpoint(routes.readFolder, async ({ path, query: { at, path: folder = '' } }) => {
      const turn = await findTurn(api, path.id, at);
      if (isRefusal(turn)) return turn;
      const listing = await listCheckpointFolder(turn, folder);
      if (listing === null) return refusePath(turn, folder);
      const { checkpoint, offset } = turn;
      return mapAnswer(listing, ({ entries, count }) =>
        reply(200, {
          checkpoint,
          offset,
          path: folder,
          entries: entries.map(describeEntry),
          count,
          truncated: count > entries.length,
        }),
      );
    }),
    makeEndpoint(routes.readFile, async ({ path, query: { at, path: file } }) => {
      const turn = await findTurn(api, path.id, at);
      if (isRefusal(turn)) return turn;
      const part = await readCheckpointPart(turn, file);
      if (part === null) return refusePath(turn, file);
      if (isRefusal(part)) return part;
      const { kind, bytes: size, content } = part;
      const text = isText(content) ? content.toString('utf8') : null;
      const { checkpoint, offset } = turn;
      return reply(200, { checkpoint, offset, path: file, kind, size, text, truncated: content.length < size });
    }),
    makeEndpoint(routes.readRawFile, async ({ path, query: { at, path: file } }) => {
      const turn = await findTurn(api, path.id, at);
      if (isRefusal(turn)) return turn;
      const part = await readCheckpointPart(turn, file, { limitBytes: RAW_BYTES });
      if (part === null) return refusePath(turn, file);
      return mapAnswer(part, ({ content }) => respondBytes(content, file.split('/').at(-1) ?? 'file'));
    }),
    makeEndpoint(routes.apply, async ({ path, body }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const { checkout } = body;
      const misuse = checkout === undefined ? null : refuseFolder(checkout, 'checkout');
      if (misuse !== null) return misuse;
      // A daemon stands nowhere: files are only written into a checkout that is named.
      const cwd = checkout ?? '/';
      return mapAnswer(await applyWork(store, { id, cwd, ...given(body) }), (done) =>
        reply(200, describeApplied(done)),
      );
    }),
  ];
}

/** As much of a file as is answered in one piece. */
const RAW_BYTES = 16 * 1024 * 1024;

type Turn = Exclude<Awaited<ReturnType<typeof findTurnCheckpoint>>, Refusal>;

async function findTurn(api: Api, text: string, at: number | undefined): Promise<Turn | Refusal> {
  const id = findNamed(api, text);
  return isRefusal(id) ? id : findTurnCheckpoint(api.services.store, { id, ...given({ at }) });
}

function refusePath({ id, offset }: Turn, path: string): Problem {
  const message = `${JSON.stringify(path.slice(0, 200))} was not there when the turn of ${id} ended at ${offset}`;
  return { code: 'not_found', message };
}

type Listing = Exclude<Awaited<ReturnType<typeof listCheckpointFolder>>, Refusal | null>;

/** What is no UTF-8 has no path that JSON can say: it is shown, and cannot be asked for. */
function describeEntry({ shown, utf8, kind, mode, bytes, target }: Listing['entries'][number]) {
  return { name: shown, utf8, kind, mode, size: bytes, ...(target === undefined ? {} : { target }) };
}

function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}
