const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link that may be followed, or null: no script, no data, nothing of this very server. */
export function safeLinkOf(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url.href : null;
}
