/** Writes the files, links and folders of a checkpoint into a new folder of ours. */
import { chmodSync, lutimesSync, mkdirSync, symlinkSync } from 'node:fs';
import type { Project } from '../../types.ts';
import { type BytePath, folderOf, locate } from '../folder/names.ts';
import type { WalkedEntry } from '../folder/walk.ts';
import { makeModes } from '../manifest.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { streamObjects } from '../objects/read.ts';
import type { CheckpointContents, CheckpointEntry } from '../read.ts';
import { writeBatches } from './batches.ts';
import { makeDates } from './dates.ts';
import { FileWriter, namesPlaces } from './file-writer.ts';

export interface WriteRequest {
  readonly project: Project;
  readonly contents: CheckpointContents;
  /** Where it is written. */
  readonly staging: string;
  /** Where it will be. */
  readonly target: string;
  readonly format: ObjectFormat;
  /** See `dates.ts`. */
  readonly indexDate: number;
}

export interface WrittenFiles {
  /** Files whose content names the workspace's own place and was changed to the new one: path to new id. */
  readonly rewritten: ReadonlyMap<BytePath, string>;
  /** What was seen of each file when it was closed. */
  readonly entries: ReadonlyMap<BytePath, WalkedEntry>;
}

/** Writes everything but folder modes, which would stand in the way of writing. */
export async function writeFiles(request: WriteRequest): Promise<WrittenFiles> {
  const { contents, staging, project } = request;
  makeFolders(contents, staging);
  const links = contents.entries.filter(isLink);
  const files = contents.entries.filter((entry) => !isLink(entry));
  // What names the workspace's own place is changed on its way.
  const { entries, unread } = await writeBatches(
    request,
    files.filter((entry) => !namesPlaces(entry.path)),
  );
  const rest = [...files.filter((entry) => namesPlaces(entry.path)), ...unread];
  const writer = new FileWriter(request, rest, entries);
  try {
    await streamObjects(
      project.storeGit,
      rest.map((entry) => entry.oid),
      writer,
    );
  } finally {
    writer.close();
  }
  await writeLinks(request, links);
  return { rewritten: writer.rewritten, entries };
}

function isLink(entry: CheckpointEntry): boolean {
  return entry.mode === '120000';
}

function makeFolders(contents: CheckpointContents, staging: string): void {
  const made = new Set<BytePath>(['']);
  const make = (path: BytePath) => {
    if (made.has(path)) return;
    make(folderOf(path));
    mkdirSync(locate(staging, path), { mode: 0o700 });
    made.add(path);
  };
  for (const { path } of contents.entries) make(folderOf(path));
  for (const path of contents.manifest.folders) make(path);
}

async function writeLinks(request: WriteRequest, links: readonly CheckpointEntry[]): Promise<void> {
  const { staging, project } = request;
  const dateOf = makeDates(request);
  let position = -1;
  let text: Buffer[] = [];
  await streamObjects(
    project.storeGit,
    links.map((link) => link.oid),
    {
      begin: () => {
        position += 1;
        text = [];
      },
      write: (chunk) => text.push(Buffer.from(chunk)),
      end: () => {
        const link = links[position]?.path ?? '';
        const path = locate(staging, link);
        symlinkSync(Buffer.concat(text), path);
        lutimesSync(path, dateOf(link), dateOf(link));
      },
    },
  );
}

/** Gives every folder its mode, the deepest first: a folder without write permission is still written to before. */
export function applyFolderModes(contents: CheckpointContents, staging: string): void {
  const modeOf = makeModes(contents.manifest);
  for (const path of listFolders(contents).reverse()) chmodSync(locate(staging, path), modeOf({ path, mode: '40000' }));
}

/** Every folder of a checkpoint, the root first, parents before children. */
export function listFolders(contents: CheckpointContents): BytePath[] {
  const folders = new Set<BytePath>(['']);
  const add = (path: BytePath) => {
    if (folders.has(path)) return;
    add(folderOf(path));
    folders.add(path);
  };
  for (const { path } of contents.entries) add(folderOf(path));
  for (const path of contents.manifest.folders) add(path);
  return [...folders];
}
