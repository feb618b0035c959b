/**
 * A remote's URL without what lets someone in: user and password of web URLs (a token is often the user alone), the
 * password of others, and any query. `git@host:path` and plain paths are as they were.
 */
export function stripCredentials(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url);
  if (match === null) return url;
  const [, scheme = '', authority = '', rest = ''] = match;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const user = at < 0 ? '' : (authority.slice(0, at).split(':')[0] ?? '');
  const web = /^(https?|ftps?)$/i.test(scheme);
  const path = web ? rest.replace(/[?#].*$/s, '') : rest;
  return `${scheme}://${web || user === '' ? '' : `${user}@`}${host}${path}`;
}
