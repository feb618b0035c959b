/**
 * Joins a route of the contract with what answers it.
 *
 * 1. Nothing is answered before all a request brings fits the route's schemas.
 * 2. An answer has the type its route promises: what does not is an error of the compiler.
 * 3. A refusal is answered by its code; what is thrown is the caller's to catch.
 */
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Refusal } from '@ramet/core';
import type { Context } from 'hono';
import { readJsonBody } from './body.ts';
import type { Entrance } from './entrance.ts';
import { JSON_HEADERS, respond, respondJson } from './headers.ts';
import { type Problem, respondProblem } from './problem.ts';
import { closeSchema, type Misfit, type Part, refuseMisfits, validatePart } from './validate.ts';

/** What the listener hands to each request. */
export interface AppEnv {
  Bindings: { readonly entrance: Entrance };
}

/** What a route takes, parsed. */
export interface CallOf<R extends RouteConfig> {
  readonly path: PartOf<R, 'params'>;
  readonly query: PartOf<R, 'query'>;
  readonly headers: PartOf<R, 'headers'>;
  readonly body: BodyOf<R>;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Only the headers of the answer are asked for. */
  readonly isHead: boolean;
}

type PartOf<R extends RouteConfig, N extends string> =
  NonNullable<R['request']> extends { readonly [K in N]: infer S }
    ? S extends z.ZodType
      ? z.output<S>
      : never
    : unknown;

type BodyOf<R extends RouteConfig> = PartOf<
  { readonly request: { readonly body: SchemaOf<NonNullable<R['request']>['body']> } } & RouteConfig,
  'body'
>;

/** The schema of a JSON body or answer. */
type SchemaOf<T> = T extends { readonly content: { readonly 'application/json': { readonly schema: infer S } } }
  ? S
  : unknown;

/** What a route may answer: one of its statuses, with the value that goes with it. */
export type ReplyOf<R extends RouteConfig> = {
  [K in keyof R['responses'] & number]: {
    readonly status: K;
    readonly value: SchemaOf<R['responses'][K]> extends infer S extends z.ZodType
      ? Shown<z.input<S>> | Rendered<Shown<z.input<S>>>
      : never;
  };
}[keyof R['responses'] & number];

/** A value as it is answered: read only, and with whatever members more. */
type Shown<T> = T extends readonly (infer I)[]
  ? readonly Shown<I>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Shown<T[K]> }
    : T;

/** Answers a route; a `Response` is one whose body is no JSON value. */
export type Handler<R extends RouteConfig> = (
  call: CallOf<R>,
) => ReplyOf<R> | Refusal | Problem | Response | Promise<ReplyOf<R> | Refusal | Problem | Response>;

/** A value that is text already: of what is asked for often and changes seldom. */
export class Rendered<V> {
  readonly text: string;
  /** Of the type alone. */
  declare readonly value: V;

  constructor(value: V) {
    this.text = JSON.stringify(value);
  }
}

/** Makes a reply. */
export function reply<const S extends number, V>(status: S, value: V): { readonly status: S; readonly value: V } {
  return { status, value };
}

/** A route that is served. */
export interface Endpoint {
  readonly route: RouteConfig;
  respond(context: Context<AppEnv>): Promise<Response>;
}

/** Most bytes of a body; larger ones are for routes that say so. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Makes an endpoint. */
export function makeEndpoint<R extends RouteConfig>(
  route: R,
  handler: Handler<R>,
  { limitBytes = BODY_LIMIT_BYTES }: { readonly limitBytes?: number } = {},
): Endpoint {
  const parts = listParts(route);
  const respond = async (context: Context<AppEnv>): Promise<Response> => {
    const call = await readCall(context, parts, limitBytes);
    if ('code' in call) return respondProblem(call);
    // The parts were held against the schemas this type is derived from.
    return respondWith((await handler(call as unknown as CallOf<R>)) as AnyReply | Refusal | Problem | Response);
  };
  return { route, respond };
}

type AnyReply = { readonly status: number; readonly value: unknown };

function respondWith(answer: AnyReply | Refusal | Problem | Response): Response {
  if (answer instanceof Response) return answer;
  if ('code' in answer) return respondProblem(answer);
  const { status, value } = answer;
  return value instanceof Rendered
    ? respond(value.text, { status, headers: JSON_HEADERS })
    : respondJson(value, status);
}

interface Parts {
  readonly path?: z.ZodType;
  readonly query: z.ZodType | null;
  readonly header?: z.ZodType;
  readonly body?: z.ZodType;
}

function listParts({ request = {} }: RouteConfig): Parts {
  const schemaOf = (schema: unknown, part: Part): z.ZodType | null =>
    schema === undefined ? null : closeSchema(schema as z.ZodType, part);
  const path = schemaOf(request.params, 'path');
  const header = schemaOf(request.headers, 'header');
  const body = schemaOf(
    (request.body?.content['application/json'] as { readonly schema?: unknown } | undefined)?.schema,
    'body',
  );
  return {
    query: schemaOf(request.query, 'query'),
    ...(path === null ? {} : { path }),
    ...(header === null ? {} : { header }),
    ...(body === null ? {} : { body }),
  };
}

type RawCall = Readonly<Record<'path' | 'query' | 'headers' | 'body', unknown>> &
  Pick<CallOf<RouteConfig>, 'signal' | 'isHead'>;

async function readCall(context: Context<AppEnv>, parts: Parts, limitBytes: number): Promise<RawCall | Problem> {
  const { req } = context;
  const misfits: Misfit[] = [];
  const take = (schema: z.ZodType | null | undefined, part: Part, value: unknown): unknown => {
    if (schema === null || schema === undefined) return {};
    const validated = validatePart(schema, part, value);
    if ('value' in validated) return validated.value;
    misfits.push(...validated.misfits);
    return null;
  };
  const given = readQuery(req.queries());
  if ('problem' in given) return given.problem;
  const path = take(parts.path, 'path', req.param());
  const query = take(parts.query, 'query', given.values);
  const headers = take(parts.header, 'header', req.header());
  if (misfits.length > 0) return refuseMisfits(misfits);
  const read = parts.body === undefined ? { value: {} } : await readJsonBody(req.raw, limitBytes);
  if ('problem' in read) return read.problem;
  const body = take(parts.body, 'body', read.value);
  if (misfits.length > 0) return refuseMisfits(misfits);
  return {
    ...{ path, query, headers, body },
    isHead: req.raw.method === 'HEAD',
    // Few handlers need it, and it is dear.
    get signal() {
      return req.raw.signal;
    },
  };
}

/** A name that is given twice says two things. */
function readQuery(
  queries: Readonly<Record<string, readonly string[]>>,
): { readonly values: Readonly<Record<string, string>> } | { readonly problem: Problem } {
  const twice = Object.entries(queries).find(([, values]) => values.length > 1);
  if (twice !== undefined) {
    return { problem: refuseMisfits([{ at: `query.${twice[0].slice(0, 100)}`, message: 'is given twice' }]) };
  }
  return { values: Object.fromEntries(Object.entries(queries).map(([name, values]) => [name, values[0] ?? ''])) };
}
