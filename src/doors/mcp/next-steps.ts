/**
 * Advice for agents about an error (MC3): which tool to call, or to stop. Others have the
 * catalogue's own text.
 */
import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'

const later = 'Wait a few seconds, then call the tool again with the same arguments.'
const askNext = 'Call get_next_action and do what it says.'

const nextSteps: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the argument that `message` names, then call the tool again.',
  unauthenticated: 'Call authenticate first, then send the session_token it gives with every call.',
  authentication_failed:
    'Do not retry with the same values. Tell the person who started you that they were ' +
    'not accepted.',
  missing_scope: 'Do not call this tool again: this credential does not allow it.',
  not_found: 'Check the id. What belongs to another agent is not visible to you.',
  agent_not_found: 'Check the agent id: it must be an agent of this project, and not yourself.',
  session_ended:
    'Stop: call no other tool, write nothing more, and exit. `reason` says why the session ended.',
  approval_decided: 'Read the decision with get_approval and act on it.',
  task_blocked: `Leave this task until the ones it waits for are done. ${askNext}`,
  work_session_completed: `This work is finished. ${askNext}`,
  wrong_state: `Read \`message\`: it says what is possible now. ${askNext}`,
  fenced: 'Stop reporting: another coordinator has taken over.',
  too_large: 'Send less: `limit` says how much is accepted.',
  invalid_progress: 'Send progress_percent as a whole number from 0 to 100.',
  idempotency_key_reused: 'Use a new client_id for new words.',
  rate_limited: 'Wait `retry_after_seconds`, then try once more with the right values.',
  too_many_connections: later,
  internal: later,
  busy: later,
  store_unavailable: later,
  coordinator_away: later,
  no_answer: later,
  shutting_down: later,
}

export const nextStepFor = (code: ErrorCode): string => nextSteps[code] ?? errorCatalogue[code].next
