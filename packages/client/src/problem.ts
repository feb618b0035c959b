/** What the API answers when the answer is no: an RFC 9457 problem, thrown. */
import type { Problem } from './generated.ts';

/** A refusal or a fault of the API; `code` is the token of the one table of codes. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  /** Everything the problem says. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ApiProblem';
    this.code = problem.code;
    this.status = problem.status;
    this.data = problem;
  }
}

/** No answer came: the daemon is not there, or the connection broke. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('the daemon cannot be reached', { cause });
    this.name = 'Unreachable';
  }
}

/** The problem a response tells; one without a problem document is named by its status. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const { status, statusText } = response;
  const told: unknown = await response.json().catch(() => null);
  if (isProblem(told)) return new ApiProblem(told);
  const detail = `the server answered ${status} ${statusText}`.trimEnd();
  return new ApiProblem({ type: 'about:blank', title: statusText, status, detail, code: 'internal_error' });
}

function isProblem(value: unknown): value is Problem {
  const { code, detail, status } = (value ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof detail === 'string' && typeof status === 'number';
}
