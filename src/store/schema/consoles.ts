/** The tables of user sessions and their agents by role. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { RoleAgent, UserSession } from '../../protocol/consoles/user-session.ts'
import type { FailureStep } from '../../protocol/turns/link.ts'

export interface UserSessionsTable {
  id: string
  project_id: string
  account_id: string
  state: UserSession['state']
  created_at: Instant
  last_active_at: Instant
  /** Until when a client is known to be connected; extended while one is. */
  attached_until: Instant
  /** When its end was requested; the end is announced when the last of its agents has ended. */
  terminated_at: Instant | null
  terminate_reason: string | null
  terminate_request_id: string | null
  /** JSON: the code and parameters beside `terminate_reason`. */
  notice: string | null
  agents_terminated: number
  /** The number of `session:terminated`. */
  closed_seq: number | null
}

export interface RoleAgentsTable {
  id: string
  user_session_id: string
  project_id: string
  role: string
  agent_id: string
  state: RoleAgent['state']
  launch_id: string | null
  work_session_id: string | null
  /** A folder below the workspace root; null: named after the role. */
  workspace_wanted: string | null
  /** The absolute path, once it is ready. */
  workspace: string | null
  branch: string | null
  note: string | null
  acp_session_id: string | null
  opened_at: Instant | null
  /** AC4: the ACP session to load. */
  load_acp_session_id: string | null
  not_restored: string | null
  /** JSON: modes, options and other capabilities that it reported. */
  offers: string
  error: string | null
  /** JSON: the notices of `error`, `note`, `notRestored` and `reason` (of its end), by these names. */
  notices: string | null
  step: FailureStep | null
  exit_code: number | null
  signal: string | null
  created_at: Instant
  last_active_at: Instant
  terminating_at: Instant | null
  terminate_reason: string | null
  terminate_request_id: string | null
  /** The number of `agent:terminated`. */
  terminated_seq: number | null
  /** AG7: since when it has no process; until another is ready. */
  asleep_at: Instant | null
}

/** AG6: allowances that a person has given for a time. */
export interface AllowancesTable {
  id: string
  project_id: string
  agent_id: string
  scope: Allowance['scope']
  tool_kind: Allowance['toolKind']
  title: string
  folder: string | null
  likeness: string | null
  approval_id: number
  created_by: string
  created_at: Instant
  expires_at: Instant
  revoked_at: Instant | null
  revoked_by: string | null
}
