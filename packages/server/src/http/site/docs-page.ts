/**
 * The page at `/docs`: every operation of the OpenAPI document and every code, readable without a script.
 *
 * 1. It is made from the document and the table alone: what they do not say is not there.
 */
import { CODES } from '@ramet/core';
import { HTTP_CODES } from '../../contract/http-codes.ts';

/** The part of the document the page shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

/** Renders the page. */
export function renderDocs(document: OpenApiDocument): string {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'other'))];
  const groups = tags.map((tag) => {
    const own = operations.filter(({ operation }) => (operation.tags?.[0] ?? 'other') === tag);
    return `<section><h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${own.map(renderOperation).join('')}</section>`;
  });
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => renderComponent(name, schema));
  const links = [...tags, 'schemas', 'codes'].map((tag) => `<a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(info.title)} HTTP API</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<header><h1>${escapeHtml(info.title)} HTTP API <small>${escapeHtml(info.version)}</small></h1>
<p>${INTRODUCTION}</p><nav>${links.join(' ')}</nav></header>
<main>${groups.join('\n')}
<section><h2 id="schemas">schemas</h2>${schemas.join('\n')}</section>
${renderCodes()}</main>
</body>
</html>
`;
}

const INTRODUCTION =
  'Paths below <code>/v1</code> want <code>Authorization: Bearer &lt;token&gt;</code>; <code>ramet serve</code> prints the token. ' +
  'What is refused or fails is answered by a problem document (RFC 9457) with a <code>code</code>. ' +
  'The same in a form for programs: <a href="/openapi.json">/openapi.json</a>.';

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function renderOperation({ path, method, operation }: Placed): string {
  const { operationId, summary = '', description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const rows = [
    ...parameters.map(({ name, in: where, required = false, schema, description: says }) => [
      `${name}${required ? '' : '?'}`,
      where,
      schema,
      says ?? schema?.description,
    ]),
    ...(body === undefined ? [] : [['body', 'body', body, undefined]]),
  ] as const;
  const given = rows.map(
    ([name, where, schema, says]) =>
      `<tr><td><code>${escapeHtml(String(name))}</code></td><td>${escapeHtml(String(where))}</td><td>${renderType(schema as Schema)}</td><td>${escapeHtml(String(says ?? ''))}</td></tr>`,
  );
  const answers = Object.entries(responses)
    .filter(([status]) => /^2\d\d$/.test(status))
    .map(([status, { description: what = '', content = {} }]) => {
      const [type, media] = Object.entries(content)[0] ?? ['', {}];
      const shown = type === 'application/json' ? renderType(media.schema) : `<code>${escapeHtml(type)}</code>`;
      return `<li><code>${escapeHtml(status)}</code> ${escapeHtml(what)} ${shown}</li>`;
    });
  return `<article id="${escapeHtml(operationId)}">
<h3><code>${escapeHtml(`${method} ${path}`)}</code></h3>
<p>${escapeHtml(summary)}</p>${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}
${given.length === 0 ? '' : `<table><tbody>${given.join('')}</tbody></table>`}
<ul>${answers.join('')}</ul>
</article>`;
}

function renderComponent(name: string, schema: Schema): string {
  const { description, properties } = schema.allOf === undefined ? schema : joinAll(schema.allOf);
  const rows = Object.entries(properties ?? {}).map(([field, value]) => {
    const mark = schema.required?.includes(field) ? '' : '?';
    return `<tr><td><code>${escapeHtml(`${field}${mark}`)}</code></td><td>${renderType(value)}</td><td>${escapeHtml(value.description ?? '')}</td></tr>`;
  });
  const shape = rows.length === 0 ? `<p>${renderType(schema)}</p>` : `<table><tbody>${rows.join('')}</tbody></table>`;
  const said = description === undefined ? '' : `<p>${escapeHtml(description)}</p>`;
  return `<article id="schema-${escapeHtml(name)}"><h3><code>${escapeHtml(name)}</code></h3>${said}${shape}</article>`;
}

/** What an extended schema adds stands beside what it extends. */
function joinAll(parts: readonly Schema[]): Schema {
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}

function renderType(schema: Schema | undefined): string {
  if (schema === undefined) return '';
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(renderType).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(renderType).join(' and ');
  if (schema.type === 'array') return `list of ${renderType(schema.items ?? {}) || 'anything'}`;
  if (schema.type === 'object' && schema.properties !== undefined) return renderFields(schema);
  return escapeHtml([schema.type ?? 'anything'].flat().join(' or '));
}

function renderFields({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, value]) => `<code>${escapeHtml(name)}${required.includes(name) ? '' : '?'}</code> ${renderType(value)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function renderCodes(): string {
  const own = Object.entries(HTTP_CODES).map(([code, http]) => [code, http, ''] as const);
  const shared = Object.entries(CODES).map(([code, { http, exit }]) => [code, http, exit] as const);
  const rows = [...own, ...shared].map(
    ([code, http, exit]) => `<tr id="${code}"><td><code>${code}</code></td><td>${http}</td><td>${exit}</td></tr>`,
  );
  return `<section><h2 id="codes">codes</h2><table><thead><tr><th>code</th><th>status</th><th>exit code of the command line</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Its style, a file of its own: the page allows none inside. */
export const DOCS_STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
nav a { margin-right: 0.75rem; }
article { border-top: 1px solid #8884; padding: 0.5rem 0; }
h2 { margin-top: 2.5rem; text-transform: capitalize; }
h3 { margin: 0.5rem 0 0; font-size: 1rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #8883; padding: 0.2rem 0.6rem 0.2rem 0; text-align: left; vertical-align: top; }
:target { background: #fd05; }
`;
