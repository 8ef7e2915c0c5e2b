/**
 * The catalogue of errors for all transports (HTTP, WebSocket, MCP, command line). No code branches
 * on a message's text. Cancelling is an outcome, not an error.
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

const entry = (status: number, title: string, next: string): CatalogueEntry => ({
  status,
  retry: mayPass(status),
  title,
  next,
})

/** Whether the cause goes away by itself: the server is busy, down or at fault. */
const mayPass = (status: number): boolean => status === 429 || status >= 500

export const errorCatalogue = {
  invalid_request: entry(
    400,
    'The request is malformed',
    'Compare it with /api/docs; `detail` names the field.',
  ),
  unknown_type: entry(
    400,
    'Unknown message type',
    'Check `type` for a typing error; the connection stays open.',
  ),
  unauthenticated: entry(
    401,
    'Authentication is required',
    'Sign in with the link `holdfast open` prints, or send `Authorization: Bearer <token>`.',
  ),
  authentication_failed: entry(
    401,
    'This credential was not accepted',
    'Sign in again with a new link (`holdfast open`), or make a new token (`holdfast token create`).',
  ),
  forbidden_host: entry(
    403,
    'This host name is not allowed',
    'Use the address the server printed at start, or set `public_url`.',
  ),
  forbidden_origin: entry(
    403,
    'Requests from this origin are not accepted',
    'Open the page from the address the server printed at start, or set `public_url`.',
  ),
  missing_scope: entry(
    403,
    'This credential does not allow that',
    'Ask an owner for a role or token with the scope named in `scope`.',
  ),
  not_yours: entry(403, 'Only its person may do this', 'Ask the person whose it is.'),
  not_found: entry(404, 'Not found', 'Check the id; lists show what exists.'),
  user_session_not_found: entry(
    404,
    'User session not found',
    'List the user sessions, or create one.',
  ),
  agent_not_found: entry(
    404,
    'Agent not found',
    'List the agents (`holdfast agents`), or add one.',
  ),
  method_not_allowed: entry(
    405,
    'This method is not allowed here',
    'The `Allow` header names the allowed methods; see /api/docs.',
  ),
  already_exists: entry(
    409,
    'This id or name is taken',
    'Choose another one, or change or remove the one that has it.',
  ),
  folder_taken: entry(
    409,
    'Another project uses this folder',
    'Use the project named in `projectId`, or choose another folder.',
  ),
  session_ended: entry(409, 'This agent session has ended', 'Stop; `reason` says why it ended.'),
  user_session_terminated: entry(
    409,
    'This user session is terminated',
    'Create a new user session.',
  ),
  role_taken: entry(
    409,
    'Another agent holds this role',
    'Choose another role, or terminate the agent that holds it.',
  ),
  agent_not_active: entry(
    409,
    'The agent is not ready',
    'Wait until it is ready, or spawn it again.',
  ),
  approval_decided: entry(
    409,
    'This approval has already been decided',
    '`decidedBy` and `decision` say by whom and how.',
  ),
  task_blocked: entry(409, 'This task waits for another', 'Finish the tasks it depends on first.'),
  work_session_running: entry(
    409,
    'This work session is still running',
    'End it first, or wait until it is interrupted.',
  ),
  work_session_completed: entry(409, 'This work session is completed', 'Start a new work session.'),
  nothing_to_send: entry(
    409,
    'There is no draft to send',
    'Write a comment first; what was sent is not sent again.',
  ),
  set_aside: entry(
    409,
    'This work session was set aside',
    '`setAside` says why it cannot be resumed; start a new work session, and see its ' +
      'files for what it knew.',
  ),
  last_owner: entry(
    409,
    'The owner of the installation cannot be changed',
    'Change or remove other people; the owner’s token is in a file of the data folder.',
  ),
  wrong_state: entry(
    409,
    'That is not possible in this state',
    '`detail` names the current state and what is possible.',
  ),
  fenced: entry(
    409,
    'Another coordinator has taken over',
    'Stop: reports with this epoch are refused.',
  ),
  launch_withdrawn: entry(
    409,
    'This launch is no longer needed',
    'Do not start it; continue with the next one.',
  ),
  would_lose: entry(
    409,
    'This would lose work',
    '`losses` lists it; commit or merge it, or confirm its loss with its `digest`.',
  ),
  worktree_in_use: entry(
    409,
    'This worktree is in use',
    'Terminate the agent, or end the processes `detail` names, then try again.',
  ),
  merge_conflict: entry(
    409,
    'There are merge conflicts',
    'Nothing was changed on either side; `files` lists the conflicts, and `command` is ' +
      'what to run to resolve them.',
  ),
  git_refused: entry(
    409,
    'git refused the operation',
    '`detail` is its message. Nothing was removed; fix it by hand, then try again.',
  ),
  plan_changed: entry(
    409,
    'Something has changed since this was looked at',
    'Nothing more was done; `plan` is what it would be now. Look at it, then press again.',
  ),
  agent_works: entry(
    409,
    'The agent works there now',
    'Wait until its turn is over, or stop it; then look again.',
  ),
  branch_of_another: entry(
    409,
    'This branch is not there, or is another person’s',
    'Name a branch of the repository, or one of your own.',
  ),
  base_in_use: entry(
    409,
    'The branch is checked out with changes of its own',
    'Commit or put aside what `detail` names, or run `command` there.',
  ),
  branch_protected: entry(
    409,
    'Nothing is landed into this branch directly',
    'Push the work and open a pull request (`how: pull-request`).',
  ),
  markers_left: entry(
    409,
    'There are conflict markers in what was changed',
    'Let the agent resolve them, or remove them; then look again.',
  ),
  nothing_to_land: entry(409, 'There is nothing to land', 'The branch has everything already.'),
  check_failed: entry(
    409,
    'The check of the project failed',
    '`detail` is the end of its output. What was committed stays on the branch of the worktree.',
  ),
  remote_changed: entry(
    409,
    'The repository names another remote than before',
    'Confirm the address that is meant; nothing was sent to either.',
  ),
  remote_moved: entry(
    409,
    'The branch at the remote was moved by others',
    'Bring their work in first; nothing is pushed over it.',
  ),
  lfs_push: entry(
    409,
    'Large files have to be uploaded with git-lfs',
    'Run `command` in the worktree, then try again.',
  ),
  push_refused: entry(
    409,
    'The push was not taken',
    '`detail` is what was said there. Set a token for the host (`holdfast hosts add`), or run `command` yourself.',
  ),
  host_refused: entry(
    422,
    'The host did not take this',
    '`detail` is its answer. Check the host and the token.',
  ),
  no_remote: entry(
    409,
    'There is no remote to push to',
    'Add one to the repository (`git remote add origin …`), then try again.',
  ),
  no_token: entry(
    409,
    'There is no token for this host',
    'Set one (`PUT /api/hosts/{host}`, `holdfast hosts add HOST`), or push by hand.',
  ),
  needs_filter: entry(
    409,
    'A git filter is required, and Holdfast runs none',
    'Let the agent commit, or use git there by hand; `detail` names a file.',
  ),
  too_large: entry(413, 'The request is too large', '`limit` says how many bytes are accepted.'),
  unsupported_media_type: entry(
    415,
    'Only JSON is accepted here',
    'Send `Content-Type: application/json`.',
  ),
  invalid_setting: entry(
    422,
    'This setting cannot have that value',
    '`key`, `min` and `max` (or `allowed`) say what is accepted.',
  ),
  folder_missing: entry(
    422,
    'The folder does not exist',
    'Create the folder first, or correct the path.',
  ),
  folder_refused: entry(
    422,
    'This folder cannot be used for a project',
    '`detail` says why; choose another folder.',
  ),
  invalid_key: entry(
    422,
    'This conversation key cannot be used',
    'Use `<channel>:<chat id>` without slashes or control characters, at most 200 bytes.',
  ),
  invalid_name: entry(422, 'This name cannot be used', '`detail` says what is wrong with it.'),
  option_needed: entry(
    422,
    'This is a question with options',
    '`optionId` says which of `options` is the answer.',
  ),
  invalid_progress: entry(
    422,
    'Progress is a whole number from 0 to 100',
    'Send a number in that range.',
  ),
  invalid_hold: entry(
    422,
    'A decision is held for 1 to 10 seconds',
    'Send a whole number in that range, or none to decide at once.',
  ),
  sharing_stays: entry(422, 'What is shared stays shared', 'Send `shared: true`, or leave it out.'),
  dependency_cycle: entry(
    422,
    'These tasks would wait for each other',
    '`cycle` names them; remove one dependency.',
  ),
  empty_comment: entry(422, 'A comment needs words', 'Write what you want to say.'),
  no_such_line: entry(
    422,
    'This line is not part of the changes',
    'Name a line that the diff shows or can unfold, with its number in the file on that side.',
  ),
  no_such_file: entry(422, 'This file is not part of the changes', 'Name a file as the diff does.'),
  unknown_schema_version: entry(
    422,
    'This file was written by a newer version',
    'Upgrade Holdfast, then try again.',
  ),
  idempotency_key_reused: entry(
    422,
    'This idempotency key was used for another request',
    'Use a new key for a new request.',
  ),
  rate_limited: entry(429, 'Too many attempts', 'Wait as long as `Retry-After` says.'),
  too_many_connections: entry(
    429,
    'This credential has too many open connections',
    'Close some, then try again.',
  ),
  resume_failed: entry(
    500,
    'This work session could not be resumed',
    'Nothing was started. `detail` says why; after the second failure it is set aside, ' +
      'and other work continues.',
  ),
  internal: entry(500, 'Unexpected error', 'Try again; the log has the details under `requestId`.'),
  busy: entry(503, 'The database is busy', 'Try again in a moment; nothing was changed.'),
  store_unavailable: entry(
    503,
    'The database cannot be written',
    'Nothing was changed, unless `outcome` is `unknown`. `holdfast doctor` says what is wrong with the data folder or the database.',
  ),
  file_not_written: entry(
    503,
    'The mirrored file cannot be written',
    'Its content is safe in the database, and writing it is retried. `holdfast doctor` ' +
      'says what is wrong with the data folder.',
  ),
  coordinator_away: entry(
    503,
    'Its machine is not connected',
    'Start Holdfast or its coordinator on the machine named in `machine`, then try again.',
  ),
  no_answer: entry(
    503,
    'Its machine did not answer in time',
    'Check the state of the worktree before you try again: the request may have been ' +
      'carried out.',
  ),
  shutting_down: entry(503, 'The server is stopping', 'Try again in a few seconds.'),
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof errorCatalogue

/**
 * Details of a refusal: `{ key, min, max }`, `{ decidedBy }` … Plain data that may leave the
 * server.
 */
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
