/**
 * Queries about approvals (table `human_approvals`), and their forms for decisions and readers.
 * Numbered under home's lock.
 */
import { sql } from 'kysely'
import type { Approval as DomainApproval } from '../../domain/approvals/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import { onWire } from '../../protocol/work/on-wire.ts'
import { columns, fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { heldOf } from './held-decisions.ts'

export type ApprovalRow = Tables['human_approvals']

/** AP4, AP13: the columns that only permissions for tools and questions have. */
type PermissionColumn =
  | 'outcome'
  | 'digest'
  | 'options'
  | 'tool_call'
  | 'option_id'
  | 'ask_id'
  | 'launch_id'
  | 'turn_id'
  | 'user_session_id'
  | 'role'
  | 'deadline'
  | 'likeness'
  | 'question'
  | 'answer'
export type PermissionColumns = Partial<Pick<ApprovalRow, PermissionColumn>>

/** A literal in the query, not a parameter, so that the partial indexes are used. */
const pending = sql.lit<ApprovalRow['status']>('pending')

export const selectApprovedOfTask = statement<{ projectId: string; taskId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select('id')
    .where('project_id', '=', p.projectId)
    .where('task_id', '=', p.taskId)
    .where('status', '=', sql.lit<ApprovalRow['status']>('approved'))
    .limit(1),
)

/** Selects the permission that a launch requested under this name. */
export const selectAsked = statement<{ launchId: string; askId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .where('ask_id', '=', p.askId),
)

export const selectPendingOfTurn = statement<{ turnId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('turn_id', '=', p.turnId)
    .where('status', '=', pending)
    .orderBy('id'),
)

/** Permissions and questions of a turn that are decided, in the order they were asked. */
export const selectDecidedOfTurn = statement<{ turnId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('turn_id', '=', p.turnId)
    .where('status', 'in', ['approved', 'rejected', 'revision_requested'])
    .orderBy('id')
    .limit(p.limit),
)

/**
 * What was settled last of all that a turn asked; what the end of the turn withdrew does not count.
 */
export const selectSettledLast = statement<{ turnId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(['id', 'outcome', 'instruction_content'])
    .where('turn_id', '=', p.turnId)
    .where('outcome', 'in', ['allowed', 'denied', 'expired'])
    .orderBy('resolved_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** AP4: selects permissions that were not answered in time. */
export const selectPastDeadline = statement<{ now: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select('id')
    .where('status', '=', pending)
    .where('deadline', 'is not', null)
    .where('deadline', '<=', p.now)
    .orderBy('deadline')
    .limit(p.limit),
)

const selectHighestId = statement()((db) =>
  db.selectFrom('human_approvals').select('id').orderBy('id', 'desc').limit(1),
)

export const selectPendingOfAgent = statement<{ projectId: string; agentId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('leader_id', '=', p.agentId)
    .where('status', '=', pending)
    .orderBy('id'),
)

export const selectPendingOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('status', '=', pending)
    .orderBy('id'),
)

/**
 * AP8: approvals about the work as a whole, newest first, without permissions and imported
 * decisions.
 */
export const selectAboutWork = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('task_id', 'is', null)
    .where('ask_id', 'is', null)
    .where('imported_decider', 'is', null)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** AP8: approvals that an agent requested in a conversation, newest first, without permissions. */
export const selectAskedIn = statement<{ key: string; agentId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('leader_id', '=', p.agentId)
    .where('ask_id', 'is', null)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** AP8: approvals about one task, wherever they were requested. */
export const selectAboutTask = statement<{ projectId: string; taskId: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('human_approvals')
      .selectAll()
      .where('project_id', '=', p.projectId)
      .where('task_id', '=', p.taskId)
      .where('ask_id', 'is', null)
      .where('imported_decider', 'is', null)
      .orderBy('id', 'desc')
      .limit(p.limit),
)

/**
 * AP8: approvals about the unfinished tasks of a work session, wherever they were requested. Found
 * from the approvals (RS5): of tasks there may be thousands, and most were never asked about.
 */
export const selectAboutTasks = statement<{
  projectId: string
  workSessionId: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('task_id', 'is not', null)
    .where('ask_id', 'is', null)
    .where('imported_decider', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('tasks')
          .select('tasks.id')
          .whereRef('tasks.project_id', '=', 'human_approvals.project_id')
          .whereRef('tasks.id', '=', 'human_approvals.task_id')
          .where('tasks.session_id', '=', p.workSessionId)
          .where('tasks.status', '<>', sql.lit<Tables['tasks']['status']>('completed'))
          .where('tasks.status', '<>', sql.lit<Tables['tasks']['status']>('failed')),
      ),
    )
    // The plus keeps SQLite from walking all approvals of the project in this order, permissions
    // too.
    .orderBy(sql`+human_approvals.id`, 'desc')
    .limit(p.limit),
)

/** Pending approvals of a work session: its own, and those about its tasks from earlier ones. */
export const selectPendingOfWorkSession = statement<{
  projectId: string
  workSessionId: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select('id')
    .where('project_id', '=', p.projectId)
    .where('status', '=', pending)
    .where((eb) =>
      eb.or([
        eb('session_id', '=', p.workSessionId),
        eb.exists(
          eb
            .selectFrom('tasks')
            .select('tasks.id')
            .whereRef('tasks.project_id', '=', 'human_approvals.project_id')
            .whereRef('tasks.id', '=', 'human_approvals.task_id')
            .where('tasks.session_id', '=', p.workSessionId),
        ),
      ]),
    )
    .orderBy('id')
    .limit(p.limit),
)

const selectOfProject = statement<{ projectId: string; before: number; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('id', '<', p.before)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

const selectOfWorkSession = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

interface InboxParams {
  readonly submittedAt: Instant
  readonly id: number
  readonly limit: number
}

const selectInbox = statement<InboxParams>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .selectAll()
    .where('status', '=', pending)
    .where((eb) => eb(eb.refTuple('submitted_at', 'id'), '>', eb.tuple(p.submittedAt, p.id)))
    .orderBy('submitted_at')
    .orderBy('id')
    .limit(p.limit),
)

const countPending = statement()((db) =>
  db
    .selectFrom('human_approvals')
    .select(sql<number>`count(*)`.as('count'))
    .where('status', '=', pending),
)

const countPendingOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(sql<number>`count(*)`.as('count'))
    .where('project_id', '=', p.projectId)
    .where('status', '=', pending),
)

const listsOf = (row: ApprovalRow) => ({
  workerInstructions: JSON.parse(row.worker_instructions),
  artifacts: JSON.parse(row.artifacts),
  revisionHistory: JSON.parse(row.revision_history),
})

/** The approval as the domain decides about it. */
export function approvalFrom(row: ApprovalRow): DomainApproval {
  const parts = {
    ...fields(row, 'id', 'submitted_at', 'instruction_content'),
    ...listsOf(row),
    held: heldOf(row),
  }
  if (row.status === 'pending')
    return { ...parts, status: row.status, resolvedAt: null, decidedBy: null, feedback: null }
  const resolvedAt = row.resolved_at ?? row.submitted_at
  return {
    ...parts,
    status: row.status,
    resolvedAt,
    decidedBy: row.decided_by ?? '',
    feedback: row.feedback,
  }
}

export const approvalColumns = (approval: DomainApproval) => ({
  ...columns(
    approval,
    'id',
    'status',
    'submitted_at',
    'resolved_at',
    'decided_by',
    'feedback',
    'instruction_content',
  ),
  held_by: approval.held?.by ?? null,
  held_until: approval.held?.until ?? null,
  held_status: approval.held?.status ?? null,
  worker_instructions: JSON.stringify(approval.workerInstructions),
  artifacts: JSON.stringify(approval.artifacts),
  revision_history: JSON.stringify(approval.revisionHistory),
})

/** The approval as it is answered over HTTP, over MCP and in events. */
export const approvalOf = (row: ApprovalRow): Approval =>
  onWire({
    ...fields(
      row,
      'id',
      'project_id',
      'task_id',
      'checkpoint_type',
      'leader_id',
      'status',
      'submitted_at',
      'resolved_at',
    ),
    ...fields(row, 'feedback', 'instruction_content', 'outcome'),
    decidedBy: row.decided_by ?? row.held_by,
    held: heldOf(row),
    ...listsOf(row),
    workSessionId: row.session_id,
    imported: row.imported_decider === null ? null : { decidedBy: row.imported_decider },
    permission: permissionOf(row),
    question: questionOf(row),
  })

export function questionOf(row: ApprovalRow): Approval['question'] {
  if (row.question === null) return null
  return {
    ...fields(row, 'user_session_id', 'role'),
    messageId: row.turn_id ?? '',
    ...JSON.parse(row.question),
    answer: JSON.parse(row.answer ?? 'null'),
    deadline: row.deadline ?? row.submitted_at,
  }
}

export function permissionOf(row: ApprovalRow): Approval['permission'] {
  if (row.ask_id === null || row.question !== null) return null
  return {
    ...fields(row, 'user_session_id', 'role', 'likeness', 'option_id'),
    messageId: row.turn_id ?? '',
    call: JSON.parse(row.tool_call ?? 'null'),
    options: JSON.parse(row.options ?? '[]'),
    digest: row.digest ?? '',
    deadline: row.deadline ?? row.submitted_at,
  }
}

/** The next id. Home's lock is held and rows are never deleted, so it is unique. */
export const nextApprovalId = async (reader: Reader): Promise<number> =>
  ((await reader.first(selectHighestId, {}))?.id ?? 0) + 1

export const approvalsOfProject = async (
  reader: Reader,
  projectId: string,
  before: number,
  limit: number,
): Promise<Approval[]> =>
  (await reader.all(selectOfProject, { projectId, before, limit })).map(approvalOf)

export const approvalsOfWorkSession = async (
  reader: Reader,
  workSessionId: string,
  limit: number,
): Promise<Approval[]> =>
  (await reader.all(selectOfWorkSession, { workSessionId, limit })).map(approvalOf)

/** AP5: pending approvals of all projects, oldest first. */
export const inboxPage = async (reader: Reader, params: InboxParams): Promise<Approval[]> =>
  (await reader.all(selectInbox, params)).map(approvalOf)

export const pendingApprovals = async (reader: Reader): Promise<number> =>
  (await reader.first(countPending, {}))?.count ?? 0

export const pendingApprovalsOf = async (reader: Reader, projectId: string): Promise<number> =>
  (await reader.first(countPendingOfProject, { projectId }))?.count ?? 0
