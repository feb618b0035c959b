/** `mcpServers` of a `ramet.json`: the shape other programs use too, and what only an operator can say of a server. */
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { McpServerConfig } from '../mcp/types.ts';

const MAX_SERVERS = 16;
const MAX_TIMEOUT_MS = 86_400_000;
/** Without `__` and without `_` at its end, so that `mcp__<name>__` is the beginning of no other server's tools. */
const SERVER_NAME = /^(?=.{1,32}$)_?[a-z0-9-]+(_[a-z0-9-]+)*$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Keys that only a program, or only an address, has. */
const OF_COMMAND = ['args', 'env', 'cwd'] as const;
const OF_URL = ['headers'] as const;

const EFFECT = z.enum(['read', 'idempotent', 'write']);
/** No NUL: it would end an argument, a path or a value where nobody sees it. */
const WORD = z.string().regex(/^[^\0]*$/, 'expected text without a NUL character');
const NAME = WORD.min(1);

/** The keys of one server. */
export const SERVER = z.strictObject({
  type: z.enum(['stdio', 'http', 'streamable-http']).optional(),
  command: NAME.optional(),
  args: z.array(WORD).optional(),
  env: z.record(z.string().regex(VARIABLE_NAME, 'expected the name of a variable'), WORD).optional(),
  cwd: NAME.optional(),
  url: z.string().optional(),
  headers: z.record(z.string().regex(HEADER_NAME, 'expected the name of a header'), headerValue()).optional(),
  trusted: z.boolean().optional(),
  effects: z.record(z.string(), EFFECT).optional(),
  volatile: z.record(z.string(), z.array(z.string())).optional(),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
});
type ServerEntry = z.infer<typeof SERVER>;

/** The form of `mcpServers`. */
export const MCP_SERVERS = z.record(z.string(), SERVER.superRefine(refuseMixture)).superRefine((servers, context) => {
  const names = Object.keys(servers);
  for (const name of names) {
    if (SERVER_NAME.test(name)) continue;
    const message = 'a server is named with a-z, 0-9, - and single _ between them, at most 32 of them';
    context.addIssue({ code: 'custom', message, path: [name] });
  }
  if (names.length > MAX_SERVERS)
    context.addIssue({ code: 'custom', message: `expected at most ${MAX_SERVERS} servers` });
});

/** The servers of a file in the folder `folder`. */
export function listServers(servers: z.infer<typeof MCP_SERVERS> = {}, folder: string): readonly McpServerConfig[] {
  return Object.entries(servers).map(([name, entry]) => makeServer(name, entry, folder));
}

function makeServer(name: string, entry: ServerEntry, folder: string): McpServerConfig {
  const { command, args = [], env = {}, cwd, url = '', headers = {}, timeoutMs } = entry;
  const { trusted = false, effects = {}, volatile = {} } = entry;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const settings = { name, folder, trusted, effects, volatile, ...limit };
  if (command === undefined) return { kind: 'http', ...settings, url, headers };
  const place = cwd === undefined ? {} : { cwd: isAbsolute(cwd) ? cwd : join(folder, cwd) };
  return { kind: 'stdio', ...settings, command, args, env, ...place };
}

function refuseMixture(entry: ServerEntry, context: z.RefinementCtx): void {
  const { type, command, url } = entry;
  const refuse = (message: string, path: readonly string[] = []): void =>
    context.addIssue({ code: 'custom', message, path: [...path] });
  if ((command === undefined) === (url === undefined)) {
    refuse('expected either command, a program, or url, an address');
    return;
  }
  const [kind, others] = command === undefined ? (['url', OF_COMMAND] as const) : (['command', OF_URL] as const);
  for (const key of others) if (entry[key] !== undefined) refuse(`a server with a ${kind} has no ${key}`, [key]);
  if (type !== undefined && (type === 'stdio') !== (command !== undefined)) {
    refuse(`a server with a ${kind} is of type ${command === undefined ? 'http' : 'stdio'}`, ['type']);
  }
  const problem = url === undefined ? null : findUrlProblem(url);
  if (problem !== null) refuse(problem, ['url']);
}

/** Headers hold secrets: they travel encrypted, or not beyond this machine. */
function findUrlProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'expected an address, for example https://example.org/mcp';
  if (url.username !== '' || url.password !== '') return 'name and password go into headers, not into the address';
  if (url.protocol === 'https:') return null;
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return url.protocol === 'http:' && isLocal ? null : 'expected https://, or http:// of this machine';
}

function headerValue(): z.ZodString {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return z.string().regex(/^[^\u0000-\u001f\u007f]*$/, 'expected one line of text');
}
