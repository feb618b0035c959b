/**
 * A remote's URL without what lets someone in: user and password of web URLs (a token is often the user alone), the
 * password of others, and any query. `git@host:path` and plain paths are as they were.
 */
export function stripCredentials(url: string): string {
  // `helper::address` names a remote helper; the address may be a URL.
  const match = /^((?:[a-z0-9+.-]+::)*)([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(url);
  if (match === null) return url;
  const [, helpers = '', scheme = '', rest = ''] = match;
  const { user, address } = splitUser(rest);
  const web = /^(https?|ftps?)$/i.test(scheme);
  const kept = web || user === '' ? '' : `${user}@`;
  return `${helpers}${scheme}://${kept}${web ? address.replace(/[?#].*$/s, '') : address}`;
}

function splitUser(rest: string): { user: string; address: string } {
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  // A password may hold a slash that should have been escaped: then what follows the colon is no port.
  const open = !authority.includes('@') && /:(?!\d*$)/.test(authority) && rest.includes('@');
  const at = open ? rest.lastIndexOf('@') : authority.lastIndexOf('@');
  if (at < 0) return { user: '', address: rest };
  return { user: rest.slice(0, at).split(':')[0] ?? '', address: rest.slice(at + 1) };
}
