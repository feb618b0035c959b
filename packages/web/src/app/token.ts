/**
 * The token that opens the API. It comes once, in the fragment of the address that `ramet serve` prints, which no server
 * sees, and is kept by the browser for this origin.
 */
const NAME = 'ramet-token';

/** Takes the token out of the address, so that it is in no history and no bookmark; answers the one that holds. */
export function readToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null && given !== '') {
    keepToken(given);
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    return given;
  }
  return localStorage.getItem(NAME);
}

/** Keeps a token for the next page. */
export function keepToken(token: string): void {
  localStorage.setItem(NAME, token);
}

/** Forgets it: the daemon does not take it any more. */
export function forgetToken(): void {
  localStorage.removeItem(NAME);
}
