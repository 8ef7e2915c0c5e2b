/**
 * The tables of approvals, permissions and questions among them, and of allowances. Part of
 * tables.ts.
 */
import type { Instant } from '../../domain/instant.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { PermissionOutcome } from '../../protocol/consoles/user-session.ts'
import { column, fixed, key } from './column.ts'

export const approvalTables = {
  human_approvals: {
    id: key<number>(),
    session_id: fixed<string | null>(null),
    project_id: fixed<string>(),
    checkpoint_type: fixed<string>(),
    leader_id: fixed<string>(),
    task_id: fixed<string | null>(null),
    asked_by_agent_session_id: column<string | null>(null),
    /** The agent session that was last given the decision (AP8). */
    told_to: column<string | null>(null),
    /** The conversation in which it was requested, outside of work sessions. */
    conversation_key: fixed<string | null>(null),
    status: column<'pending' | 'approved' | 'rejected' | 'revision_requested'>('pending'),
    submitted_at: column<Instant>(),
    resolved_at: column<Instant | null>(null),
    decided_by: column<string | null>(null),
    feedback: column<string | null>(null),
    /** AP15: a decision that is made and carried out at this time, unless it is taken back. */
    held_by: column<string | null>(null),
    held_until: column<Instant | null>(null),
    held_status: column<'approved' | 'rejected' | 'revision_requested' | null>(null),
    /** What will be carried out, as JSON. */
    held_decision: column<string | null>(null),
    instruction_content: column<string | null>(null),
    worker_instructions: column<string>('[]'),
    artifacts: column<string>('[]'),
    revision_history: column<string>('[]'),
    /** AP7: the person that imported files name for a decision; null for decisions made here. */
    imported_decider: column<string | null>(null),
    /** The following columns are for permissions for tools (AP4) only. */
    outcome: column<PermissionOutcome | null>(null),
    digest: fixed<string | null>(null),
    options: fixed<string | null>(null),
    tool_call: fixed<string | null>(null),
    option_id: column<string | null>(null),
    /** The coordinator's name for the request, unique within the launch. */
    ask_id: fixed<string | null>(null),
    launch_id: fixed<string | null>(null),
    turn_id: fixed<string | null>(null),
    user_session_id: fixed<string | null>(null),
    role: fixed<string | null>(null),
    deadline: fixed<Instant | null>(null),
    /** Equal for repeated requests of the same call. */
    likeness: fixed<string | null>(null),
    /** AP13: an agent's question, and the answer to it. */
    question: fixed<string | null>(null),
    answer: column<string | null>(null),
  },

  /** AG6: allowances that a person has given for a time. */
  allowances: {
    id: key<string>(),
    project_id: fixed<string>(),
    agent_id: fixed<string>(),
    scope: fixed<Allowance['scope']>(),
    tool_kind: fixed<Allowance['toolKind']>(),
    title: fixed<string>(),
    folder: fixed<string | null>(null),
    likeness: fixed<string | null>(null),
    approval_id: fixed<number>(),
    created_by: fixed<string>(),
    created_at: fixed<Instant>(),
    expires_at: fixed<Instant>(),
    revoked_at: column<Instant | null>(null),
    revoked_by: column<string | null>(null),
  },
}
