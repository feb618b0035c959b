import { type Refusal, refuse } from '../codes/index.ts';
import { parseRunId, type RunId } from '../events/index.ts';
import { escapeLine, truncateText } from '../text/index.ts';
import { digitsOf, shortIdsOf } from './short-ids.ts';

/** Fewest characters that name a run: fewer are more likely a slip than an id. */
const FEWEST = 4;

/** Candidates a refusal names at most. */
const LISTED = 20;

/**
 * The run a person means: its whole id, or any end of it that no other run has. Refuses with `malformed_id`,
 * `unknown_run` or `ambiguous_id`; nothing is guessed.
 */
export function resolveRunId(text: string, ids: readonly RunId[]): RunId | Refusal {
  const whole = parseRunId(text);
  if (whole !== null) return ids.includes(whole) ? whole : refuseUnknown(text);
  const digits = digitsOf(text);
  if (!/^[0-9a-f-]{1,36}$/.test(text) || digits.length > 32 || digits === '') return refuseMalformed(text);
  if (digits.length < FEWEST) {
    return refuse('malformed_id', `${text} is too short for an id: give at least ${FEWEST} characters of its end`);
  }
  const matches = ids.filter((id) => id.endsWith(text) || digitsOf(id).endsWith(digits));
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return match;
  return match === undefined ? refuseEnd(text, digits, ids) : refuseAmbiguous(text, matches, ids);
}

function refuseMalformed(text: string): Refusal {
  const shown = truncateText(escapeLine(text), 60);
  return refuse(
    'malformed_id',
    `'${shown}' is not an id: an id is 32 lower-case hex digits in groups, and at least ${FEWEST} of its end name it`,
  );
}

/** No id ends like this. One that begins like this is never taken: beginnings are times, and close runs share them. */
function refuseEnd(text: string, digits: string, ids: readonly RunId[]): Refusal {
  const beginning = ids.filter((id) => digitsOf(id).startsWith(digits));
  if (beginning.length > 0) return refuseAmbiguous(text, beginning, ids);
  const short = [...shortIdsOf(ids).values()].filter((shown) => shown.startsWith(digits));
  return short.length > 0 ? refuseStart(text, short) : refuseUnknown(text);
}

/** The start of a short id is what other tools take. */
function refuseStart(text: string, short: readonly string[]): Refusal {
  const shown = short.slice(0, LISTED).join(' or ');
  const message = `there is no run ${text}: an id is named by its end; did you mean ${shown}?`;
  return refuse('unknown_run', message, { id: text, candidates: short.slice(0, LISTED) });
}

function refuseUnknown(text: string): Refusal {
  return refuse(
    'unknown_run',
    `there is no session or graph run ${text}; \`ramet sessions\` and \`ramet runs\` list those there are`,
    { id: text },
  );
}

function refuseAmbiguous(text: string, matches: readonly RunId[], ids: readonly RunId[]): Refusal {
  const short = shortIdsOf(ids);
  const shown = matches.slice(0, LISTED).map((id) => short.get(id) ?? id);
  const more = matches.length > shown.length ? ` and ${matches.length - shown.length} more` : '';
  const message = `'${text}' does not name one run; give the end of an id: ${shown.join(', ')}${more}`;
  return refuse('ambiguous_id', message, { id: text, candidates: matches.slice(0, LISTED) });
}
