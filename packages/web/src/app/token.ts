/**
 * The token that opens the API. It comes once, in the fragment of the address that `ramet serve` prints, which no server
 * sees, and is kept by the browser for this origin.
 */
const NAME = 'ramet-token';

export interface HeldToken {
  readonly token: string | null;
  /** It comes from the address or a person's hand: no daemon has taken it yet. */
  readonly isNew: boolean;
}

/** Takes the token out of the address, so that it is in no history and no bookmark; answers the one that holds. */
export function readToken(): HeldToken {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null && given !== '') {
    keepToken(given);
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    return { token: given, isNew: true };
  }
  return { token: localStorage.getItem(NAME), isNew: false };
}

/** Keeps a token for the next page. */
export function keepToken(token: string): void {
  localStorage.setItem(NAME, token);
}

/** Forgets it: the daemon does not take it any more. */
export function forgetToken(): void {
  localStorage.removeItem(NAME);
}
