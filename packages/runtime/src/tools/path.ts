/**
 * Paths a model gives, resolved on the host without ever leaving the workspace.
 *
 * 1. Each component is looked at (lstat) before the next; a link is followed by its text, in the agent's view of the
 *    file system: an absolute one below the guest path means the workspace, anything else leads out.
 * 2. What leads out is refused with a reason the model can read, and not looked at: neither its existence nor its kind
 *    shows.
 * 3. The result names no link: its host path can be opened with O_NOFOLLOW.
 *
 * Without races only while no process of the run lives; `file-access.ts` checks again what it opened.
 */
import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, normalize, sep } from 'node:path';

export interface PathRequest {
  /** Host path of the workspace. */
  readonly workspace: string;
  /** Where commands see it. */
  readonly guestPath: string;
  /** What relative paths start from, relative to the workspace. */
  readonly cwd: string;
  readonly path: string;
  readonly runsFolder?: string;
}

export type ResolvedPath =
  | { readonly kind: 'found'; readonly hostPath: string; readonly relative: string; readonly stat: Stats }
  /** Nothing there yet; folders above it may be missing too. */
  | { readonly kind: 'missing'; readonly hostPath: string; readonly relative: string }
  | { readonly kind: 'refused'; readonly reason: string };

const MAX_LINKS = 40;

/** Resolves a path; `relative` is relative to the workspace, without links, `''` for the workspace itself. */
export function resolvePath(request: PathRequest): ResolvedPath {
  const { path } = request;
  if (path === '') return refused('the path is empty');
  if (path.includes('\0')) return refused(`the path ${JSON.stringify(path)} holds a NUL character`);
  const inside = path.startsWith('/')
    ? splitGuestPath(path, request.guestPath)
    : [...splitPath(request.cwd), ...splitPath(path)];
  if (inside === null) return refused(explainOutside(request, normalize(path)));
  return walk(request, inside);
}

interface Walk {
  /** Components passed, none a link. */
  readonly done: string[];
  /** Components still to go. */
  rest: string[];
  links: number;
  stat: Stats | null;
}

function walk(request: PathRequest, components: readonly string[]): ResolvedPath {
  const state: Walk = { done: [], rest: [...components], links: 0, stat: null };
  while (state.rest.length > 0) {
    const stop = step(request, state);
    if (stop !== null) return stop;
  }
  const hostPath = join(request.workspace, ...state.done);
  const stat = state.stat ?? lookAt(hostPath);
  if (typeof stat === 'string') return refused(`${JSON.stringify(request.path)} cannot be used: ${stat}`);
  const relative = state.done.join(sep);
  return stat === null ? { kind: 'missing', hostPath, relative } : { kind: 'found', hostPath, relative, stat };
}

/** One component; null to go on. */
function step(request: PathRequest, state: Walk): ResolvedPath | null {
  const name = state.rest.shift() ?? '';
  const above = join(request.workspace, ...state.done);
  state.stat = null;
  if (name === '..') {
    if (state.done.pop() === undefined) return refused(explainOutside(request, join(above, '..', ...state.rest)));
    return null;
  }
  const stat = lookAt(join(above, name));
  if (typeof stat === 'string') return refused(`${JSON.stringify(request.path)} cannot be used: ${stat}`);
  if (stat === null) return missing(request, [...state.done, name, ...state.rest]);
  if (stat.isSymbolicLink()) return followLink(request, state, join(above, name));
  if (state.rest.length > 0 && !stat.isDirectory()) {
    return refused(
      `${JSON.stringify(request.path)} cannot be used: ${JSON.stringify([...state.done, name].join(sep))} is no folder`,
    );
  }
  state.done.push(name);
  state.stat = stat;
  return null;
}

function followLink(request: PathRequest, state: Walk, link: string): ResolvedPath | null {
  state.links += 1;
  if (state.links > MAX_LINKS)
    return refused(`${JSON.stringify(request.path)} cannot be used: too many symbolic links (a loop?)`);
  const bytes = readlinkSync(link, { encoding: 'buffer' });
  const target = bytes.toString('utf8');
  if (!Buffer.from(target).equals(bytes))
    return refused(`${JSON.stringify(request.path)} leads through a link whose target is not UTF-8`);
  if (!target.startsWith('/')) {
    state.rest.unshift(...splitPath(target));
    return null;
  }
  const inside = splitGuestPath(target, request.guestPath);
  if (inside === null) return refused(explainOutside(request, normalize(join(target, ...state.rest))));
  state.done.length = 0;
  state.rest.unshift(...inside);
  return null;
}

function missing(request: PathRequest, components: readonly string[]): ResolvedPath {
  const relative = components.join(sep);
  if (components.includes('..'))
    return refused(`${JSON.stringify(request.path)} goes up from a folder that does not exist`);
  return { kind: 'missing', hostPath: join(request.workspace, relative), relative };
}

/** Null: nothing there. A text: why it cannot be looked at. */
function lookAt(path: string): Stats | string | null {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return null;
    return code === 'ENAMETOOLONG' ? 'a name in it is too long' : code === 'EACCES' ? 'no permission (EACCES)' : code;
  }
}

function splitPath(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}

/** Components below the guest path; null for a path elsewhere. */
function splitGuestPath(path: string, guestPath: string): string[] | null {
  const components = splitPath(path);
  const guest = splitPath(guestPath);
  return guest.every((name, index) => components[index] === name) ? components.slice(guest.length) : null;
}

function refused(reason: string): ResolvedPath {
  return { kind: 'refused', reason };
}

/** `hostPath` is where the path would lead on the host, by its text. */
function explainOutside(request: PathRequest, hostPath: string): string {
  const shown = JSON.stringify(request.path);
  const only = `only paths in the workspace (${request.guestPath}) can be used`;
  const run = runOf(request, hostPath);
  const isOther = run !== null && run !== basename(dirname(request.workspace));
  return isOther ? `${shown} belongs to another session; ${only}` : `${shown} leads out of the workspace; ${only}`;
}

/** The name of the run below whose folder a host path lies. */
function runOf(request: PathRequest, hostPath: string): string | null {
  const folder = request.runsFolder ?? guessRunsFolder(request.workspace);
  if (folder === null) return null;
  for (const known of [folder, realPathOf(folder)]) {
    if (hostPath.startsWith(known + sep)) return splitPath(hostPath.slice(known.length))[0] ?? null;
  }
  return null;
}

/** A private checkout is `runs/<id>/workspace`. */
function guessRunsFolder(workspace: string): string | null {
  const folder = dirname(dirname(workspace));
  return basename(workspace) === 'workspace' && basename(folder) === 'runs' ? folder : null;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
