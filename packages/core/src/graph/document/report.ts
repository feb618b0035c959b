/** Collects what is wrong with a document, as far as anybody reads it. */
import { findNearest } from '../../text/nearest.ts';
import { GRAPH_LIMITS } from './limits.ts';
import type { GraphProblem } from './types.ts';

/** Names compared in one report: a hostile document must not buy hours of guessing. */
const COMPARISON_LIMIT = 100_000;
/** Characters of a message, and of one step of a place: names in a hostile document are as long as it is. */
const MESSAGE_LIMIT = 400;
const STEP_LIMIT = 200;

/** The steps from the document to a value in it. */
export type Place = readonly (string | number)[];

/** What is wrong, so far. */
export interface Report {
  readonly problems: readonly GraphProblem[];
  add(place: Place, message: string): void;
  /** `; did you mean '…'?`, or nothing. */
  hint(word: string, candidates: Iterable<string>): string;
}

/** An empty report. */
export function createReport(): Report {
  const problems: GraphProblem[] = [];
  let compared = 0;
  return {
    problems,
    add(place, message) {
      if (problems.length < GRAPH_LIMITS.problems)
        problems.push({ at: renderPointer(place), message: shorten(message, MESSAGE_LIMIT) });
      else if (problems.length === GRAPH_LIMITS.problems) problems.push({ at: '', message: 'and more' });
    },
    hint(word, candidates) {
      if (compared > COMPARISON_LIMIT) return '';
      const names = [...candidates];
      compared += names.length;
      const near = findNearest(word, names);
      return near === undefined ? '' : `; did you mean '${near}'?`;
    },
  };
}

/** A JSON Pointer (RFC 6901). */
function renderPointer(place: Place): string {
  return place.map((step) => `/${shorten(`${step}`, STEP_LIMIT).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}
