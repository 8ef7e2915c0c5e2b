/**
 * Advice for agents about each error (MC3): which tool to call, or to stop. null: the catalogue's own text is enough, or no tool
 * returns the error.
 */
import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'

const later = 'Wait a few seconds, then call the tool again with the same arguments.'
const askNext = 'Call get_next_action and do what it says.'

const nextSteps = {
  invalid_request: 'Correct the argument that `message` names, then call the tool again.',
  unknown_type: null,
  unauthenticated: 'Call authenticate first, then send the session_token it gives with every call.',
  authentication_failed: 'Do not try again with the same values. Tell the person who started you that they were not accepted.',
  forbidden_host: null,
  forbidden_origin: null,
  missing_scope: 'Do not call this tool again: it is not for the credential of this connection.',
  not_found: 'Check the id. What belongs to another agent is not there for you.',
  user_session_not_found: null,
  agent_not_found: 'Check the agent id: it must be an agent of this project, and not yourself.',
  method_not_allowed: null,
  already_exists: null,
  folder_taken: null,
  session_ended: 'Stop: call no other tool, write nothing more, and exit. `reason` says why the session ended.',
  user_session_terminated: null,
  role_taken: null,
  agent_not_active: null,
  approval_decided: 'Read the decision with get_approval and act on it.',
  task_blocked: `Leave this task until the ones it waits for are done. ${askNext}`,
  work_session_running: null,
  work_session_completed: `This work is finished. ${askNext}`,
  set_aside: null,
  last_owner: null,
  wrong_state: `Read \`message\`: it says what is possible now. ${askNext}`,
  fenced: 'Stop reporting: another coordinator has taken over.',
  launch_withdrawn: null,
  would_lose: null,
  worktree_in_use: null,
  merge_conflict: null,
  git_refused: null,
  too_large: 'Send less: `limit` says how much is accepted.',
  unsupported_media_type: null,
  invalid_setting: null,
  folder_missing: null,
  folder_refused: null,
  invalid_key: null,
  invalid_name: null,
  invalid_progress: 'Send progress_percent as a whole number from 0 to 100.',
  dependency_cycle: null,
  unknown_schema_version: null,
  idempotency_key_reused: 'Use a new client_id for new words.',
  rate_limited: 'Wait `retry_after_seconds`, then try once more with the right values.',
  too_many_connections: later,
  resume_failed: null,
  internal: later,
  busy: later,
  store_unavailable: later,
  file_not_written: null,
  coordinator_away: later,
  no_answer: later,
  shutting_down: later,
} as const satisfies Record<ErrorCode, string | null>

export const nextStepFor = (code: ErrorCode): string => nextSteps[code] ?? errorCatalogue[code].next
