/** Read queries for approvals, permissions and allowances. */

import type { Viewer } from '../../domain/access/visibility.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { allowancesPage } from '../../store/approvals/allowances.ts'
import {
  approvalOf,
  approvalsOfProject,
  inboxPage,
  selectPastDeadline,
  selectPendingOfAgent,
} from '../../store/approvals/approvals.ts'
import { approvalKeyOf, cutApprovalsPage, cutPage, pageParams } from '../../store/page-cursor.ts'
import { defineQuery } from '../../store/store.ts'
import { allowancesFor, approvalFor, approvalsFor } from '../access/shown-to-others.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import type { ContextCaller } from '../conversations/own-conversation.ts'
import { noSuchProject } from '../refusals.ts'
import { approvalOfAgent, existingApproval } from './approval-record.ts'

/** Returns an approval that the agent requested in any of its sessions (`get_approval`). */
export const getApproval = defineQuery('get-approval', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { approvalId, ...caller }: ContextCaller & { approvalId: number },
  ): Promise<Approval> => {
    const { projectId } = await liveAgentSession(reader, caller)
    const approval = approvalOf(await approvalOfAgent(reader, { projectId, approvalId }, caller))
    // AP15: to its agent a held decision is none yet.
    const { held } = approval
    return held && approval.status === 'pending'
      ? { ...approval, held: null, decidedBy: null }
      : approval
  },
})

export const readApproval = defineQuery('read-approval', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { viewer, ...place }: { projectId?: string | undefined; approvalId: number; viewer: Viewer },
  ): Promise<Approval> =>
    approvalFor(reader, viewer, approvalOf(await existingApproval(reader, place))),
})

/** The session whose agent asks; null: it was asked in no turn. */
export const findSessionOfApproval = defineQuery('find-session-of-approval', {
  scope: 'read',
  on: 'approval',
  run: async (reader, { approvalId }: { approvalId: number }): Promise<string | null> => {
    const row = await existingApproval(reader, { approvalId })
    const turn = row.turn_id === null ? undefined : await reader.row('turns', { id: row.turn_id })
    return turn?.conversation_key ?? null
  },
})

/** The approvals that its agent has asked for in a conversation and nobody has decided. */
export const listAskedIn = defineQuery('list-asked-in', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<Approval[]> => {
    const row = await reader.row('conversations', { key })
    if (!row || row.project_id === null || row.agent_id === null) return []
    const { project_id: projectId, agent_id: agentId } = row
    const pending = await reader.all(selectPendingOfAgent, { projectId, agentId })
    return pending.filter((each) => each.conversation_key === key).map(approvalOf)
  },
})

/** Lists the approvals of a project, newest first, in pages (HT1). */
export const listApprovals = defineQuery('list-approvals', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { projectId, viewer, ...page }: PageQuery & { projectId: string; viewer: Viewer },
  ): Promise<Page<Approval>> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const before = page.cursor === undefined ? Number.MAX_SAFE_INTEGER : approvalKeyOf(page).id
    const found = await approvalsOfProject(reader, projectId, before, page.limit + 1)
    return cutApprovalsPage(await approvalsFor(reader, viewer, found), page.limit)
  },
})

/** Lists the inbox (AP5): pending approvals of all projects, oldest first, in pages. */
export const listPendingApprovals = defineQuery('list-pending-approvals', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { viewer, ...page }: PageQuery & { viewer: Viewer },
  ): Promise<Page<Approval>> => {
    const found = await inboxPage(reader, { ...approvalKeyOf(page), limit: page.limit + 1 })
    return cutApprovalsPage(await approvalsFor(reader, viewer, found), page.limit)
  },
})

type Input = PageQuery & { projectId: string; ended: boolean; viewer: Viewer }

/** Lists the allowances of a project (AG6), newest first, in pages (HT1). */
export const listAllowances = defineQuery('list-allowances', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { projectId, ended, viewer, ...page }: Input,
    { now },
  ): Promise<Page<Allowance>> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const found = await allowancesPage(
      reader,
      { projectId, ...pageParams(page) },
      ended ? null : now,
    )
    return cutPage(await allowancesFor(reader, viewer, found), page.limit)
  },
})

const expiredPageSize = 100

/** AP4: lists requests past their deadline, oldest first. */
export const findExpiredPermissions = defineQuery('find-expired-permissions', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<{ approvalId: number }[]> => {
    const expired = await reader.all(selectPastDeadline, { now, limit: expiredPageSize })
    return expired.map(({ id }) => ({ approvalId: id }))
  },
})
