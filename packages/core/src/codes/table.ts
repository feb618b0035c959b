/**
 * The one table of codes: every refusal and failure of Ramet, with the exit code of the command line and the
 * status of the HTTP API. The code is the same snake_case token in core, `--json`, HTTP and docs.
 *
 * Exit codes: 0 done, 1 usage, 2 fault, 3 refused, 4 limit reached, 5 owned by another process,
 * 6 verification failed, 7 parked, 130 interrupted.
 */

/** Exit codes of the command line (see the module header). */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 130;

interface CodeEntry {
  readonly exit: ExitCode;
  readonly http: number;
}

export const CODES = {
  // usage: what was asked cannot be understood
  bad_usage: { exit: 1, http: 400 },
  malformed_id: { exit: 1, http: 400 },
  unknown_run: { exit: 1, http: 404 },
  ambiguous_id: { exit: 1, http: 409 },
  no_model: { exit: 1, http: 400 },
  no_key: { exit: 1, http: 400 },
  unknown_model: { exit: 1, http: 400 },
  bad_script: { exit: 1, http: 400 },
  bad_config: { exit: 1, http: 400 },
  nothing_to_continue: { exit: 1, http: 404 },
  no_open_turn: { exit: 1, http: 409 },
  nothing_to_do: { exit: 1, http: 400 },
  bad_graph: { exit: 1, http: 400 },
  bad_input: { exit: 1, http: 400 },
  unknown_gate: { exit: 1, http: 404 },
  ambiguous_gate: { exit: 1, http: 409 },
  // faults: something broke underneath
  log_damaged: { exit: 2, http: 500 },
  log_newer: { exit: 2, http: 409 },
  disk_failed: { exit: 2, http: 507 },
  event_too_large: { exit: 2, http: 413 },
  state_unusable: { exit: 2, http: 500 },
  git_failed: { exit: 2, http: 500 },
  git_missing: { exit: 2, http: 500 },
  checkpoint_failed: { exit: 2, http: 500 },
  checkpoint_missing: { exit: 2, http: 500 },
  restore_failed: { exit: 2, http: 500 },
  workspace_failed: { exit: 2, http: 500 },
  process_failed: { exit: 2, http: 500 },
  model_failed: { exit: 2, http: 502 },
  script_exhausted: { exit: 2, http: 409 },
  script_changed: { exit: 2, http: 409 },
  turn_failed: { exit: 2, http: 500 },
  expression_failed: { exit: 2, http: 409 },
  node_failed: { exit: 2, http: 409 },
  output_invalid: { exit: 2, http: 409 },
  replay_diverged: { exit: 2, http: 409 },
  internal_error: { exit: 2, http: 500 },
  // refusals: understood, and the answer is no
  not_a_boundary: { exit: 3, http: 409 },
  no_completed_turn: { exit: 3, http: 409 },
  turn_open: { exit: 3, http: 409 },
  not_a_session: { exit: 3, http: 409 },
  not_a_graph_run: { exit: 3, http: 409 },
  node_unknown: { exit: 3, http: 409 },
  node_never_entered: { exit: 3, http: 409 },
  node_skipped: { exit: 3, http: 409 },
  node_visit_ambiguous: { exit: 3, http: 409 },
  origin_needs_reconciliation: { exit: 3, http: 409 },
  write_replay_hazard: { exit: 3, http: 409 },
  not_a_hazard: { exit: 3, http: 409 },
  graph_changed: { exit: 3, http: 409 },
  change_refused: { exit: 3, http: 409 },
  gate_answered: { exit: 3, http: 409 },
  run_ended: { exit: 3, http: 409 },
  child_removed: { exit: 3, http: 410 },
  key_reused: { exit: 3, http: 422 },
  no_sandbox: { exit: 3, http: 409 },
  no_workspace: { exit: 3, http: 409 },
  unsupported_repository: { exit: 3, http: 409 },
  workspace_too_large: { exit: 3, http: 409 },
  workspace_changed: { exit: 3, http: 409 },
  directory_in_use: { exit: 3, http: 409 },
  branch_exists: { exit: 3, http: 409 },
  apply_conflict: { exit: 3, http: 409 },
  no_checkpoint: { exit: 3, http: 409 },
  would_lose_work: { exit: 3, http: 409 },
  not_confirmed: { exit: 3, http: 409 },
  network_file_system: { exit: 3, http: 409 },
  approval_denied: { exit: 3, http: 409 },
  // the rest
  limit_reached: { exit: 4, http: 409 },
  owned_elsewhere: { exit: 5, http: 423 },
  verification_failed: { exit: 6, http: 409 },
  outcome_unknown: { exit: 7, http: 409 },
  approval_pending: { exit: 7, http: 409 },
  gate_pending: { exit: 7, http: 409 },
  interrupted: { exit: 130, http: 499 },
} as const satisfies Record<string, CodeEntry>;

/** Every code Ramet answers with. */
export type Code = keyof typeof CODES;

/** The exit code of the command line for a code. */
export function exitCodeOf(code: Code): ExitCode {
  return CODES[code].exit;
}

/** The HTTP status for a code. */
export function httpStatusOf(code: Code): number {
  return CODES[code].http;
}

/** Whether a value is a code of the table. */
export function isCode(code: unknown): code is Code {
  return typeof code === 'string' && Object.hasOwn(CODES, code);
}
