/**
 * Reads `ramet.json`: the person's own (`$XDG_CONFIG_HOME/ramet/ramet.json`) and the project's, in the person's checkout.
 *
 * 1. The project's file may only tighten: its `allow` rules, its `workspace.carry`, its MCP servers and its `check`
 *    count once a person confirmed that very file, by digest. It is the person's checkout that is read, never the agent's copy.
 * 2. A file that is there and cannot be understood is a refusal, an unknown key too: guessing would loosen something.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { findNearest } from '@ramet/core/text';
import { z } from 'zod';
import type { McpServerConfig } from '../mcp/types.ts';
import { codeOf, sha256 } from '../store/index.ts';
import { findToolProblem } from '../tools/names.ts';
import { DEFAULT_CARRY } from '../workspace/checkout/index.ts';
import { listServers, MCP_SERVERS, SERVER } from './servers.ts';
import { isTrusted } from './trust.ts';
import type { Configuration } from './types.ts';

const RULE = z.strictObject({
  tool: toolName(),
  match: z.string().optional(),
  do: z.enum(['allow', 'ask', 'deny']),
});
const WORKSPACE = z.strictObject({
  carry: z.array(folderName()).optional(),
  captureIgnored: z.boolean().optional(),
});
/** The form of a file. */
export const CONFIG_FILE = z.strictObject({
  model: z.string().min(1).optional(),
  permissions: z.array(RULE).optional(),
  workspace: WORKSPACE.optional(),
  mcpServers: MCP_SERVERS.optional(),
  check: shellLine().optional(),
});
/** With the keys of what is not there yet: a file may hold them, and they do nothing. */
const LATER = z.unknown().optional();
const FILE = CONFIG_FILE.extend({
  workspace: WORKSPACE.extend({ overlayCheckpoints: LATER }).optional(),
});
type ConfigFile = z.infer<typeof FILE>;

interface ReadFile {
  readonly path: string;
  readonly digest: string;
  readonly file: ConfigFile;
}

export interface ConfigurationRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The state folder, where confirmations lie. */
  readonly home: string;
  /** The person's checkout; null outside a project. */
  readonly checkout: string | null;
  /** The person confirms the project's file with this very command. */
  readonly trustProject: boolean;
}

/** The configuration that holds for a session of a project. */
export function readConfiguration(request: ConfigurationRequest): Configuration | Refusal {
  const person = readConfigFile(join(configFolderOf(request.env), 'ramet.json'));
  if (isRefusal(person)) return person;
  const project = request.checkout === null ? null : readConfigFile(join(request.checkout, 'ramet.json'));
  if (isRefusal(project)) return project;
  const confirmed = project === null || isTrusted(request.home, project.digest);
  return { ...merge(person, project, request.trustProject || confirmed), confirmed };
}

/** The project's file and its digest, for a person to confirm; null when there is none. */
export function readProjectFile(checkout: string): { readonly path: string; readonly digest: string } | null | Refusal {
  return readConfigFile(join(checkout, 'ramet.json'));
}

function merge(
  personFile: ReadFile | null,
  project: ReadFile | null,
  trusted: boolean,
): Omit<Configuration, 'confirmed'> {
  const person = personFile?.file ?? {};
  const theirs = project?.file ?? {};
  const own = (person.permissions ?? []).map((rule) => ({ ...rule, from: 'person' as const }));
  const rules = (theirs.permissions ?? [])
    .filter((rule) => trusted || rule.do !== 'allow')
    .map((rule) => ({ ...rule, from: 'project' as const }));
  const ignored = trusted ? [] : untrustedParts(theirs);
  const carry = (trusted ? theirs.workspace?.carry : undefined) ?? person.workspace?.carry ?? DEFAULT_CARRY;
  const model = person.model ?? theirs.model;
  const check = (trusted ? theirs.check : undefined) ?? person.check;
  return {
    rules: [...own, ...rules].map(({ tool, match, do: verdict, from }) => ({
      tool,
      ...(match === undefined ? {} : { match }),
      do: verdict,
      from,
    })),
    ...(model === undefined ? {} : { model }),
    carry,
    mcpServers: mergeServers(personFile, trusted ? project : null),
    ...(check === undefined ? {} : { check }),
    captureIgnored: (person.workspace?.captureIgnored ?? true) && (theirs.workspace?.captureIgnored ?? true),
    trusted,
    ignored,
    ...(project === null ? {} : { project: { path: project.path, digest: project.digest } }),
  };
}

/** A server both files name is the person's. */
function mergeServers(person: ReadFile | null, project: ReadFile | null): readonly McpServerConfig[] {
  const [own, theirs] = [person, project].map((read) =>
    read === null ? [] : listServers(read.file.mcpServers, dirname(read.path)),
  );
  const names = new Set(own?.map(({ name }) => name));
  return [...(own ?? []), ...(theirs ?? []).filter(({ name }) => !names.has(name))];
}

function untrustedParts(file: ConfigFile): readonly string[] {
  return [
    ...((file.permissions ?? []).some((rule) => rule.do === 'allow') ? ['allow rules'] : []),
    ...(file.workspace?.carry === undefined ? [] : ['workspace.carry']),
    ...('mcpServers' in file ? ['mcpServers'] : []),
    ...(file.check === undefined ? [] : ['check']),
  ];
}

function readConfigFile(path: string): ReadFile | null | Refusal {
  let bytes: Buffer;
  try {
    const read = readSmallFile(path);
    if (typeof read === 'string')
      return refuse('bad_config', `cannot use ${path}: ${read}; mend it or remove it`, { path });
    bytes = read;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    return refuse('bad_config', `cannot read ${path}: ${codeOf(error)}; mend it or remove it`, { path });
  }
  const value = parseJson(bytes.toString('utf8'));
  if (value instanceof SyntaxError) {
    return refuse('bad_config', `${path} is not JSON (${value.message}); mend it or remove it`, { path });
  }
  const parsed = FILE.safeParse(value);
  if (parsed.success) return { path, digest: sha256(bytes), file: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  const problem = issue === undefined ? 'it cannot be understood' : describeIssue(issue);
  return refuse('bad_config', `${path} cannot be used${where}: ${problem}`, { path });
}

/** The keys there are, by the place that holds them. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(CONFIG_FILE.shape),
  workspace: Object.keys(WORKSPACE.shape),
  permissions: Object.keys(RULE.shape),
  mcpServers: Object.keys(SERVER.shape),
};

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const [key = ''] = issue.keys;
  const known = KEYS[String(issue.path[0] ?? '')] ?? [];
  const near = findNearest(key, known);
  return `unknown key '${key}'${near === undefined ? '' : ` (did you mean ${near}?)`}; the keys are ${known.join(', ')}`;
}

/** A rule about a tool there is not would hold for nothing. */
function toolName(): z.ZodString {
  return z.string().superRefine((name, context) => {
    const message = findToolProblem(name);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}

const LARGEST_BYTES = 1024 * 1024;

/** The bytes of a file, or why it is not read: a FIFO would wait for ever, a device never end. */
function readSmallFile(path: string): Buffer | string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return 'it is no regular file';
    if (stats.size > LARGEST_BYTES) return `it is larger than ${LARGEST_BYTES} bytes`;
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The value of a JSON text, or an error that says where it is none, in one line. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const found = /line (\d+) column (\d+)/.exec(message);
    if (found !== null) return new SyntaxError(`line ${found[1]}, column ${found[2]}`);
    // The parser names the place by what stands there.
    return new SyntaxError(message.replaceAll(/\s+/g, ' ').replace(/ is not valid JSON$/, ''));
  }
}

/** Linux takes at most 128 KiB in one argument, and no NUL. */
function shellLine(): z.ZodString {
  return z.string().regex(/^[^\0]{1,32768}$/, 'expected a command of at most 32768 characters');
}

/** A carried folder is named, not placed: a path could reach anywhere. */
function folderName(): z.ZodString {
  return z.string().regex(/^(?!\.git$)(?!\.{1,2}$)[^/\0]{1,255}$/, 'expected the name of a folder');
}

function configFolderOf(env: ConfigurationRequest['env']): string {
  const { XDG_CONFIG_HOME: xdg } = env;
  return xdg !== undefined && isAbsolute(xdg) ? join(xdg, 'ramet') : join(env.HOME || homedir(), '.config', 'ramet');
}
