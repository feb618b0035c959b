/** Calls the API by the names of its operations. */
import { OPERATIONS, type Operations } from './generated.ts';
import { readProblem, Unreachable } from './problem.ts';

export type OperationName = keyof Operations;
export type RequestOf<N extends OperationName> = Operations[N]['request'];
export type AnswerOf<N extends OperationName> = Operations[N]['answer'];

/** Another way to fetch: over a unix socket, or in a test. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Without a slash at its end; empty: where the page came from. */
  readonly baseUrl: string;
  /** Absent: the connection itself says who calls (a unix socket). */
  readonly token?: string;
  readonly fetch?: Fetch;
}

export interface Client {
  /** Calls one operation; throws `ApiProblem` for a refusal or a fault, `Unreachable` when there is no answer. */
  call<N extends OperationName>(name: N, request: RequestOf<N>, signal?: AbortSignal): Promise<AnswerOf<N>>;
  /** Calls an operation whose answer is no JSON: a stream, or bytes. */
  open(name: OperationName, request: AnyRequest, init?: RequestInit): Promise<Response>;
}

type Query = Readonly<Record<string, string | number | null | undefined>>;

/** What any operation may be given. */
export interface AnyRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly key?: string;
  readonly body?: unknown;
}

/** Makes a client. */
export function makeClient(options: ClientOptions): Client {
  const open = (name: OperationName, request: AnyRequest, init: RequestInit = {}): Promise<Response> =>
    send(options, name, { request, init });
  return {
    open,
    async call<N extends OperationName>(name: N, request: RequestOf<N>, signal?: AbortSignal) {
      const response = await open(name, request, signal === undefined ? {} : { signal });
      return (await response.json()) as AnswerOf<N>;
    },
  };
}

async function send(
  { baseUrl, token, fetch: chosen = fetch }: ClientOptions,
  name: OperationName,
  { request, init }: { readonly request: AnyRequest; readonly init: RequestInit },
): Promise<Response> {
  const { method, path } = OPERATIONS[name];
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (request.key !== undefined) headers.set('idempotency-key', request.key);
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
  const url = `${baseUrl}${renderPath(path, request.path ?? {})}${renderQuery(request.query ?? {})}`;
  const response = await chosen(url, { ...init, method, headers, ...body }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new Unreachable(error);
  });
  if (response.ok) return response;
  throw await readProblem(response);
}

function renderPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function renderQuery(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
