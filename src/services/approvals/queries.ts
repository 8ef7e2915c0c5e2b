/** Reads about approvals, permissions and allowances. */

import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { allowancesPage } from '../../store/approvals/allowances.ts'
import { approvalOf, approvalsOfProject, inboxPage, selectApproval } from '../../store/approvals/approvals.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { approvalKeyOf, cutApprovalsPage, cutPage, pageParams } from '../../store/page-cursor.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { selectProject } from '../../store/projects/projects.ts'
import { defineQuery } from '../../store/store.ts'
import { selectTurn } from '../../store/turns/turns.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { noSuchApproval, noSuchProject } from '../refusals.ts'
import { approvalOfAgent, existingApproval } from './approval-record.ts'

/** Reads an approval that an agent asked for (`get_approval`), in this agent session or an earlier one. */
export const getApproval = defineQuery({
  name: 'get-approval',
  run: async (reader, { approvalId, ...caller }: Receiver & { approvalId: number }): Promise<Approval> => {
    const { agentId, projectId } = await liveAgentSession(reader, caller)
    return approvalOf(await approvalOfAgent(reader, { projectId, approvalId }, agentId))
  },
})

/** Reads one approval of a project. */
export const readApproval = defineQuery({
  name: 'read-approval',
  run: async (reader, place: { projectId: string; approvalId: number }): Promise<Approval> =>
    approvalOf(await existingApproval(reader, place)),
})

/** Lists the approvals of a project, decided ones too, newest first, page by page (HT1). */
export const listApprovals = defineQuery({
  name: 'list-approvals',
  run: async (reader, { projectId, ...page }: PageQuery & { projectId: string }): Promise<Page<Approval>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const before = page.cursor === undefined ? Number.MAX_SAFE_INTEGER : approvalKeyOf(page).id
    return cutApprovalsPage(await approvalsOfProject(reader, projectId, before, page.limit + 1), page.limit)
  },
})

/** The inbox (AP5): what waits for a person, over all projects, oldest first, page by page. */
export const listPendingApprovals = defineQuery({
  name: 'list-pending-approvals',
  run: async (reader, page: PageQuery): Promise<Page<Approval>> =>
    cutApprovalsPage(await inboxPage(reader, { ...approvalKeyOf(page), limit: page.limit + 1 }), page.limit),
})

type Input = PageQuery & { projectId: string; ended: boolean }

/** Lists what agents are always allowed in a project (AG6), newest first, page by page (HT1). */
export const listAllowances = defineQuery({
  name: 'list-allowances',
  run: async (reader, { projectId, ended, ...page }: Input, { now }): Promise<Page<Allowance>> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    return cutPage(await allowancesPage(reader, { projectId, ...pageParams(page) }, ended ? null : now), page.limit)
  },
})

export interface WhichPermission {
  readonly approvalId: number
  readonly projectId: string
  /** null in a chat or at a task. */
  readonly userSessionId: string | null
  readonly coordinatorId: string | null
  /** In a chat or at a task: the conversation of its turn. */
  readonly conversationKey: string | null
}

/** Which streams a use case about a permission has to lock (AP4). */
export const findPermission = defineQuery({
  name: 'find-permission',
  run: async (reader, { approvalId }: { approvalId: number }): Promise<WhichPermission> => {
    const row = await reader.first(selectApproval, { id: approvalId })
    if (!row || row.ask_id === null) throw noSuchApproval(approvalId)
    const launch = row.launch_id === null ? undefined : await findLaunch(reader, row.launch_id)
    const { project_id: projectId, user_session_id: userSessionId } = row
    const turn = userSessionId !== null || row.turn_id === null ? undefined : await reader.first(selectTurn, { id: row.turn_id })
    const coordinatorId = launch?.coordinatorId ?? null
    return { approvalId, projectId, userSessionId, coordinatorId, conversationKey: turn?.conversation_key ?? null }
  },
})
