/** What a person sees in a browser: the interface where it was built, and the page about the API. */

import { respond } from '../headers.ts';
import { DOCS_STYLE, type OpenApiDocument, renderDocs } from './docs-page.ts';
import { readSiteFiles, type SiteFile, type SiteFiles } from './files.ts';

export interface Site {
  /** Answers a path of the site; null when it has none such, unless a browser wants a page: that one says itself that it is none. */
  respond(request: Request): Response | null;
  has(path: string): boolean;
}

/** Makes the site. */
export function makeSite({ document, web }: { readonly document: object; readonly web: string | null }): Site {
  const files = web === null ? null : readSiteFiles(web);
  const pages = new Map<string, SiteFile>([
    ['/docs', makePage(renderDocs(document as OpenApiDocument), 'text/html; charset=utf-8')],
    ['/docs.css', makePage(DOCS_STYLE, 'text/css; charset=utf-8')],
  ]);
  const missing = new Map([['/index.html', makePage(NO_INTERFACE, 'text/plain; charset=utf-8')]]);
  const find = (path: string): SiteFile | undefined => pages.get(path) ?? findFile(files ?? missing, path);
  return {
    has: (path) => find(path) !== undefined,
    respond: (request) => {
      const { pathname } = new URL(request.url);
      const file = find(pathname);
      if (file !== undefined) return respondFile(file, request.headers);
      const index = wantsPage(pathname, request.headers) ? files?.get('/index.html') : undefined;
      return index === undefined ? null : respondFile(index, request.headers, 404);
    },
  };
}

const NO_INTERFACE = `Ramet is running. Its browser interface was not built: \`npm run build\` makes it, or use the command line (ramet sessions).
The HTTP API is described at /docs.
`;

/** Pages of the interface: it finds out itself which one is meant. */
const PAGES = /^\/(?:inbox|usage|s\/[\w-]+|r\/[\w-]+|compare\/[\w-]+\/[\w-]+)?$/;

function findFile(files: SiteFiles, path: string): SiteFile | undefined {
  return files.get(PAGES.test(path) ? '/index.html' : path);
}

/** Whether it is a person who went to an address, and no program. */
function wantsPage(path: string, headers: Headers): boolean {
  return !path.startsWith('/v1') && (headers.get('accept') ?? '').includes('text/html');
}

function makePage(text: string, type: string): SiteFile {
  return { bytes: new TextEncoder().encode(text), type, etag: '', encoded: [], isHashed: false };
}

function respondFile(
  { bytes, type, etag, encoded, isHashed }: SiteFile,
  headers: Headers,
  status: 200 | 404 = 200,
): Response {
  const accepted = headers.get('accept-encoding') ?? '';
  const [encoding, body] = encoded.find(([name]) => new RegExp(`\\b${name}\\b`).test(accepted)) ?? [null, bytes];
  const described = {
    'content-type': type,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(etag === '' ? {} : { etag }),
    ...(encoded.length === 0 ? {} : { vary: 'accept-encoding' }),
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  };
  const isKnown = status === 200 && etag !== '' && headers.get('if-none-match') === etag;
  return isKnown ? respond(null, { status: 304, headers: described }) : respond(body, { status, headers: described });
}
