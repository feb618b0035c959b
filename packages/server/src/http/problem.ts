/**
 * What went wrong, as HTTP answers it: RFC 9457 problem documents.
 *
 * 1. The code is that of the one table, or one of the few that exist in HTTP alone; the status follows from it.
 * 2. What a code tells stands beside it, as in the JSON of the command line, and hides none of the document's own members.
 * 3. No stack leaves.
 */
import { type Code, httpStatusOf, isCode, type ProblemReport } from '@ramet/core';
import { HTTP_CODES, type HttpCode } from '../contract/http-codes.ts';
import { respond } from './headers.ts';

/** Something to say no with. */
export interface Problem {
  readonly code: Code | HttpCode;
  readonly message: string;
  readonly data?: ProblemReport['data'];
  /** Of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The media type of problem documents. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Answers with a problem document. */
export function respondProblem(problem: Problem): Response {
  const { headers = {} } = problem;
  return respond(JSON.stringify(describeProblemDocument(problem)), {
    status: statusOf(problem.code),
    headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...headers },
  });
}

/** The document itself. */
export function describeProblemDocument({ code, message, data = {} }: Problem): Readonly<Record<string, unknown>> {
  const own = { type: `/docs#${code}`, title: titleOf(code), status: statusOf(code), detail: message, code };
  return Object.assign({ ...own }, data, own);
}

/** The status of a code. */
export function statusOf(code: Problem['code']): number {
  return isCode(code) ? httpStatusOf(code) : HTTP_CODES[code];
}

function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
