/**
 * How a server's program is started: which file, where, with what environment.
 *
 * 1. A server runs with the person's rights. So nothing of it comes from a folder an agent can write: not the program,
 *    not its folder, no file named in its arguments, no entry of its PATH.
 * 2. It gets the person's environment without Ramet's own variables and without the keys of model providers. What its
 *    `env` names it gets.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { PROVIDERS } from '../../model/providers.ts';
import { isBelow } from '../places.ts';
import type { StdioServerConfig } from '../types.ts';
import { type Environment, expandVariables } from './variables.ts';

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchHost {
  readonly env: Environment;
  /** Folders an agent can write. */
  readonly writable: readonly string[];
}

/** Plans the start of a server, or says in a sentence why it cannot be started. */
export function planLaunch(config: StdioServerConfig, host: LaunchHost): Launch | string {
  const { command, args, folder, cwd = folder } = config;
  const expanded = expandVariables(config.env, host.env);
  if ('missing' in expanded) return `its env names \${${expanded.missing}}, which is not set`;
  const { writable } = host;
  const env = { ...makeBaseEnvironment(host.env, { cwd, writable }), ...expanded.values };
  const program = findProgram(command, cwd, env.PATH);
  if (program === null) return `there is no program ${JSON.stringify(command)}`;
  const exposed = [program, cwd, ...args.map((arg) => resolve(cwd, arg))].find((path) => isBelow(path, writable));
  if (exposed !== undefined)
    return `the agent can write ${JSON.stringify(exposed)}, and a server runs outside the sandbox`;
  return { argv: [program, ...args], cwd, env };
}

const KEY_VARIABLES: ReadonlySet<string> = new Set(
  Object.values(PROVIDERS).flatMap(({ keyVariables }) => keyVariables),
);

function makeBaseEnvironment(
  host: Environment,
  { cwd, writable }: { readonly cwd: string; readonly writable: readonly string[] },
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || name.startsWith('RAMET_') || KEY_VARIABLES.has(name)) continue;
    kept[name] = value;
  }
  const entries = (host.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  kept.PATH = entries.filter((entry) => isAbsolute(entry) && !isBelow(resolve(cwd, entry), writable)).join(delimiter);
  return kept;
}

function findProgram(command: string, cwd: string, path = ''): string | null {
  if (command.includes(sep)) return isProgram(resolve(cwd, command)) ? resolve(cwd, command) : null;
  const found = path.split(delimiter).find((entry) => isAbsolute(entry) && isProgram(join(entry, command)));
  return found === undefined ? null : join(found, command);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
