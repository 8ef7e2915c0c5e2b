/**
 * Exit codes, and the exit code of each error of the catalogue. A new error code does not compile until it has one here. --help
 * shows the same table.
 */
import type { ErrorCode } from '../domain/errors.ts'

export const exitCodes = {
  ok: { code: 0, about: 'It was done' },
  failed: { code: 1, about: 'It failed, here or on the server' },
  usage: { code: 2, about: 'The command, a value or the configuration is not right' },
  unreachable: { code: 3, about: 'The server cannot be reached' },
  refused: { code: 4, about: 'No credential, or one that does not allow it' },
  notFound: { code: 5, about: 'There is no such thing' },
  conflict: { code: 6, about: 'It does not fit the state things are in' },
  later: { code: 7, about: 'Not now; the same may succeed later' },
  interrupted: { code: 130, about: 'Interrupted by Ctrl-C' },
} as const

export type ExitName = keyof typeof exitCodes
export type ExitCode = (typeof exitCodes)[ExitName]['code']

export const exitOf = {
  invalid_request: 2,
  unknown_type: 2,
  unauthenticated: 4,
  authentication_failed: 4,
  forbidden_host: 4,
  forbidden_origin: 4,
  missing_scope: 4,
  not_found: 5,
  user_session_not_found: 5,
  agent_not_found: 5,
  method_not_allowed: 2,
  already_exists: 6,
  folder_taken: 6,
  session_ended: 6,
  user_session_terminated: 6,
  role_taken: 6,
  agent_not_active: 6,
  approval_decided: 6,
  task_blocked: 6,
  work_session_running: 6,
  work_session_completed: 6,
  set_aside: 6,
  last_owner: 6,
  wrong_state: 6,
  fenced: 6,
  launch_withdrawn: 6,
  would_lose: 6,
  worktree_in_use: 6,
  merge_conflict: 6,
  git_refused: 6,
  too_large: 2,
  unsupported_media_type: 2,
  invalid_setting: 2,
  folder_missing: 2,
  folder_refused: 2,
  invalid_key: 2,
  invalid_name: 2,
  invalid_progress: 2,
  dependency_cycle: 2,
  unknown_schema_version: 2,
  idempotency_key_reused: 2,
  rate_limited: 7,
  too_many_connections: 7,
  resume_failed: 1,
  internal: 1,
  busy: 7,
  store_unavailable: 7,
  file_not_written: 7,
  coordinator_away: 7,
  no_answer: 7,
  shutting_down: 7,
} as const satisfies Record<ErrorCode, ExitCode>

/** Handles unknown codes of a newer server. */
export const exitOfCode = (code: string): ExitCode =>
  Object.hasOwn(exitOf, code) ? exitOf[code as ErrorCode] : exitCodes.failed.code
