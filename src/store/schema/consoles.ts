/** The tables of user sessions and their agents by role. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { RoleAgent, UserSession } from '../../protocol/consoles/user-session.ts'
import type { FailureStep } from '../../protocol/turns/link.ts'
import { column, fixed, key } from './column.ts'

export const consoleTables = {
  user_sessions: {
    id: key<string>(),
    project_id: fixed<string>(),
    account_id: fixed<string>(),
    state: column<UserSession['state']>('ACTIVE'),
    created_at: fixed<Instant>(),
    last_active_at: column<Instant>(),
    /** Until when a client is known to be connected; extended while one is. */
    attached_until: column<Instant>(),
    /** When its end was requested; the end is announced when the last of its agents has ended. */
    terminated_at: column<Instant | null>(null),
    terminate_reason: column<string | null>(null),
    terminate_request_id: column<string | null>(null),
    /** JSON: the code and parameters beside `terminate_reason`. */
    notice: column<string | null>(null),
    agents_terminated: column<number>(0),
    /** The number of `session:terminated`. */
    closed_seq: column<number | null>(null),
  },

  role_agents: {
    id: key<string>(),
    user_session_id: fixed<string>(),
    project_id: fixed<string>(),
    role: fixed<string>(),
    agent_id: fixed<string>(),
    state: column<RoleAgent['state']>('SPAWNING'),
    launch_id: column<string | null>(null),
    work_session_id: fixed<string | null>(null),
    /** A folder below the workspace root, or an absolute one; null: named after the role. */
    workspace_wanted: fixed<string | null>(null),
    /**
     * JSON: where an absolute one may be too, chosen by somebody with `manage`; null: nowhere else.
     */
    workspace_roots: fixed<string | null>(null),
    /** The absolute path, once it is ready. */
    workspace: column<string | null>(null),
    branch: column<string | null>(null),
    note: column<string | null>(null),
    acp_session_id: column<string | null>(null),
    opened_at: column<Instant | null>(null),
    /** AC4: the ACP session to load. */
    load_acp_session_id: column<string | null>(null),
    not_restored: column<string | null>(null),
    /** JSON: modes, options and other capabilities that it reported. */
    offers: column<string>(),
    error: column<string | null>(null),
    /**
     * JSON: the notices of `error`, `note`, `notRestored` and `reason` (of its end), by these
     * names.
     */
    notices: column<string | null>(null),
    step: column<FailureStep | null>(null),
    exit_code: column<number | null>(null),
    signal: column<string | null>(null),
    created_at: fixed<Instant>(),
    last_active_at: column<Instant>(),
    terminating_at: column<Instant | null>(null),
    terminate_reason: column<string | null>(null),
    terminate_request_id: column<string | null>(null),
    /** The number of `agent:terminated`. */
    terminated_seq: column<number | null>(null),
    /** AG7: since when it has no process; until another is ready. */
    asleep_at: column<Instant | null>(null),
  },
}
