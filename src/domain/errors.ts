/**
 * The catalogue of errors for all transports (HTTP, WebSocket, MCP, command line). No code branches on a message's text.
 * Cancelling is an outcome, not an error.
 */
import { type Detail, type Notice, noticeOf, textOf } from './notices.ts'

interface CatalogueEntry {
  /** The HTTP status; other transports derive theirs from it. */
  readonly status: number
  /** Whether the same request may succeed later unchanged. */
  readonly retry: boolean
  /** One line for a person. */
  readonly title: string
  /** What the reader can do now. */
  readonly next: string
}

export const errorCatalogue = {
  invalid_request: {
    status: 400,
    retry: false,
    title: 'The request is malformed',
    next: 'Compare it with /api/docs; `detail` names the field.',
  },
  unknown_type: {
    status: 400,
    retry: false,
    title: 'This message type is not known',
    next: 'Check `type` for a typing error; the connection stays open.',
  },
  unauthenticated: {
    status: 401,
    retry: false,
    title: 'A credential is needed',
    next: 'Sign in with the link `holdfast open` prints, or send `Authorization: Bearer <token>`.',
  },
  authentication_failed: {
    status: 401,
    retry: false,
    title: 'This credential was not accepted',
    next: 'Sign in again with a new link (`holdfast open`), or make a new token (`holdfast token create`).',
  },
  forbidden_host: {
    status: 403,
    retry: false,
    title: 'This host name is not ours',
    next: 'Use the address the server printed at start, or set `public_url`.',
  },
  forbidden_origin: {
    status: 403,
    retry: false,
    title: 'Requests from this origin are not accepted',
    next: 'Open the page from the address the server printed at start, or set `public_url`.',
  },
  missing_scope: {
    status: 403,
    retry: false,
    title: 'This credential does not allow that',
    next: 'Ask an owner for a role or token with the scope named in `scope`.',
  },
  not_found: {
    status: 404,
    retry: false,
    title: 'There is no such thing here',
    next: 'Check the id; lists show what exists.',
  },
  user_session_not_found: {
    status: 404,
    retry: false,
    title: 'There is no such user session',
    next: 'List the user sessions, or create one.',
  },
  agent_not_found: {
    status: 404,
    retry: false,
    title: 'There is no such agent',
    next: 'List the agents (`holdfast agents`), or add one.',
  },
  method_not_allowed: {
    status: 405,
    retry: false,
    title: 'This method is not for that path',
    next: 'The `Allow` header names the methods that are; see /api/docs.',
  },
  already_exists: {
    status: 409,
    retry: false,
    title: 'That id or name is taken',
    next: 'Choose another one, or change or remove what has it.',
  },
  folder_taken: {
    status: 409,
    retry: false,
    title: 'Another project has this folder',
    next: 'Use the project named in `projectId`, or choose another folder.',
  },
  session_ended: {
    status: 409,
    retry: false,
    title: 'This agent session has ended',
    next: 'Stop; `reason` says why it ended.',
  },
  user_session_terminated: {
    status: 409,
    retry: false,
    title: 'This user session is terminated',
    next: 'Create a new user session.',
  },
  role_taken: {
    status: 409,
    retry: false,
    title: 'Another agent holds this role',
    next: 'Choose another role, or terminate the agent that holds it.',
  },
  agent_not_active: {
    status: 409,
    retry: false,
    title: 'This agent is not active',
    next: 'Wait until it is ready, or spawn it again.',
  },
  approval_decided: {
    status: 409,
    retry: false,
    title: 'This approval was decided already',
    next: '`decidedBy` and `decision` say by whom and how.',
  },
  task_blocked: {
    status: 409,
    retry: false,
    title: 'This task waits for another',
    next: 'Finish the tasks it depends on first.',
  },
  work_session_running: {
    status: 409,
    retry: false,
    title: 'This work session is still running',
    next: 'End it first, or wait until it is interrupted.',
  },
  work_session_completed: {
    status: 409,
    retry: false,
    title: 'This work session is completed',
    next: 'Start a new work session.',
  },
  set_aside: {
    status: 409,
    retry: false,
    title: 'This work session was set aside',
    next: '`setAside` says why it cannot be resumed; begin a new work session, and see its files for what it knew.',
  },
  last_owner: {
    status: 409,
    retry: false,
    title: 'The owner of the installation stays as they are',
    next: 'Change or remove other people; the owner’s token is in a file of the data folder.',
  },
  wrong_state: {
    status: 409,
    retry: false,
    title: 'That is not possible in this state',
    next: 'What is said with it names the state it is in and what is possible.',
  },
  fenced: {
    status: 409,
    retry: false,
    title: 'Another coordinator has taken over',
    next: 'Stop: reports with this epoch are refused.',
  },
  launch_withdrawn: {
    status: 409,
    retry: false,
    title: 'This launch is not needed any more',
    next: 'Do not start it; go on with the next one.',
  },
  would_lose: {
    status: 409,
    retry: false,
    title: 'Something would be lost with it',
    next: '`losses` says what; commit or merge it, or confirm exactly that with its `digest`.',
  },
  worktree_in_use: {
    status: 409,
    retry: false,
    title: 'Somebody works in this worktree',
    next: 'Terminate the agent, or end the processes `detail` names, then try again.',
  },
  merge_conflict: {
    status: 409,
    retry: false,
    title: 'It cannot be brought in without conflicts',
    next: 'Nothing was changed on either side; `files` names the conflicts, and `command` is what to type to resolve them.',
  },
  git_refused: {
    status: 409,
    retry: false,
    title: 'git did not do it',
    next: '`detail` has its words. Nothing was removed; put it right by hand, then try again.',
  },
  too_large: {
    status: 413,
    retry: false,
    title: 'That is too large',
    next: '`limit` says how many bytes are accepted.',
  },
  unsupported_media_type: {
    status: 415,
    retry: false,
    title: 'Only JSON is accepted here',
    next: 'Send `Content-Type: application/json`.',
  },
  invalid_setting: {
    status: 422,
    retry: false,
    title: 'This setting cannot have that value',
    next: '`key`, `min` and `max` (or `allowed`) say what is accepted.',
  },
  folder_missing: {
    status: 422,
    retry: false,
    title: 'There is no such folder',
    next: 'Make the folder first, or correct the path.',
  },
  folder_refused: {
    status: 422,
    retry: false,
    title: 'No project may have this folder',
    next: '`detail` says why; choose another folder.',
  },
  invalid_key: {
    status: 422,
    retry: false,
    title: 'This conversation key cannot be used',
    next: 'Use `<channel>:<chat id>` without slashes or control characters, at most 200 bytes.',
  },
  invalid_name: {
    status: 422,
    retry: false,
    title: 'This name cannot be used',
    next: '`detail` says what is wrong with it.',
  },
  invalid_progress: {
    status: 422,
    retry: false,
    title: 'Progress is a whole number from 0 to 100',
    next: 'Send a number in that range.',
  },
  dependency_cycle: {
    status: 422,
    retry: false,
    title: 'These tasks would wait for each other',
    next: '`cycle` names them; remove one dependency.',
  },
  unknown_schema_version: {
    status: 422,
    retry: false,
    title: 'This file was written by a newer version',
    next: 'Upgrade Holdfast, then try again.',
  },
  idempotency_key_reused: {
    status: 422,
    retry: false,
    title: 'This idempotency key was used for another request',
    next: 'Use a new key for a new request.',
  },
  rate_limited: {
    status: 429,
    retry: true,
    title: 'Too many attempts',
    next: 'Wait as long as `Retry-After` says.',
  },
  too_many_connections: {
    status: 429,
    retry: true,
    title: 'This credential has too many open connections',
    next: 'Close some, then try again.',
  },
  resume_failed: {
    status: 500,
    retry: true,
    title: 'This work session could not be resumed',
    next: 'Nothing was begun. `detail` says why; after the second time it is set aside, and the others go on.',
  },
  internal: {
    status: 500,
    retry: true,
    title: 'Something went wrong on our side',
    next: 'Try again; the log has the details under `requestId`.',
  },
  busy: {
    status: 503,
    retry: true,
    title: 'The store is busy',
    next: 'Try again in a moment; nothing was changed.',
  },
  store_unavailable: {
    status: 503,
    retry: true,
    title: 'The store cannot be written',
    next: 'Nothing was changed, unless `outcome` is `unknown`. `holdfast doctor` says what is wrong with the data folder or the database.',
  },
  file_not_written: {
    status: 503,
    retry: true,
    title: 'The file beside the database cannot be written',
    next: 'What it would say is safe in the store, and it is tried again. `holdfast doctor` says what is wrong with the data folder.',
  },
  coordinator_away: {
    status: 503,
    retry: true,
    title: 'The machine that has it is not connected',
    next: 'Start Holdfast or its coordinator on the machine named in `machine`, then try again.',
  },
  no_answer: {
    status: 503,
    retry: true,
    title: 'Its machine has not answered in time',
    next: 'Look at the state of the worktree before you try again: what was asked for may have been done.',
  },
  shutting_down: {
    status: 503,
    retry: true,
    title: 'The server is stopping',
    next: 'Try again in a few seconds.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof errorCatalogue

/** Details of a refusal: `{ key, min, max }`, `{ decidedBy }` … Plain data that may leave the server. */
export type ErrorFields = Readonly<Record<string, unknown>>

/** A refused request. Thrown by services and transports; its transaction changes nothing. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly fields: ErrorFields
  /** Without a detail, the error's own code. null: `message` is the text of another program. */
  readonly notice: Notice | null

  constructor(code: ErrorCode, detail?: Detail, fields: ErrorFields = {}) {
    super(detail === undefined ? errorCatalogue[code].title : textOf(detail))
    this.name = 'Refusal'
    this.code = code
    this.fields = fields
    this.notice = detail === undefined ? { code, params: {} } : noticeOf(detail)
  }

  get detail(): Detail {
    return this.notice ? { text: this.message, notice: this.notice } : this.message
  }
}
