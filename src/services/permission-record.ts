/**
 * Permissions for tools (AP4) as approvals: durable before they are shown, settled once, told in the project, at home and in the user
 * session, and to the agent that waits. The use case names all of these streams.
 */
import { optionFor, type PermissionPolicy, policyAnswer } from '../domain/approval/permission.ts'
import { systemId } from '../domain/credential/who.ts'
import { type Instant, later } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { coordinatorStream, userSessionStream } from '../domain/stream/name.ts'
import type { PermissionRequest } from '../protocol/agent-update.ts'
import { storable } from '../protocol/text.ts'
import type { PermissionOutcome } from '../protocol/user-session.ts'
import { type ApprovalRow, selectAsked, selectPendingOfTurn, updateOutcome } from '../store/queries/approvals.ts'
import { findLaunch } from '../store/queries/launches.ts'
import type { RoleAgentRow } from '../store/queries/role-agents.ts'
import type { Tx } from '../store/store.ts'
import { askForApproval } from './ask-for-approval.ts'
import { moveApproval } from './move-approval.ts'
import { settingsOf } from './project-settings.ts'

const toolPermission = 'tool_permission'

interface Question {
  readonly launchId: string
  readonly turnId: string
  readonly askId: string
  readonly request: PermissionRequest
}

/** The same question is asked once, however often it is told. */
export async function askPermission(tx: Tx, agent: RoleAgentRow, question: Question, now: Instant): Promise<void> {
  const { launchId, turnId, askId, request } = question
  if (await tx.first(selectAsked, { launchId, askId })) return
  const settings = await settingsOf(tx, agent.project_id)
  const deadline = later(now, durationMs(settings, 'permission.deadline_minutes'))
  const { call, options, digest } = request
  const { id: approvalId } = await askForApproval(
    tx,
    {
      projectId: agent.project_id,
      workSessionId: agent.work_session_id,
      taskId: null,
      checkpointType: toolPermission,
      leaderId: agent.agent_id,
      agentSessionId: null,
      instructionContent: storable(call.title),
      permission: {
        outcome: null,
        digest,
        options: JSON.stringify(options),
        tool_call: JSON.stringify(call),
        option_id: null,
        ask_id: askId,
        launch_id: launchId,
        turn_id: turnId,
        user_session_id: agent.user_session_id,
        role: agent.role,
        deadline,
      },
    },
    now,
  )
  const shown = { role: agent.role, approvalId, messageId: turnId, title: call.title, call, options, deadline }
  tx.append(userSessionStream(agent.user_session_id), { type: 'permission:requested', data: shown })
  const policy = settings['permission.policy'] as PermissionPolicy
  const optionId = policyAnswer(policy, call.toolKind, options)
  const row = optionId === null ? undefined : await tx.first(selectAsked, { launchId, askId })
  if (row) await settlePermission(tx, row, { outcome: 'allowed', optionId, by: `policy ${policy}` }, now)
}

interface Settlement {
  readonly outcome: PermissionOutcome
  readonly optionId: string | null
  readonly by: string
  readonly feedback?: string | null
  readonly requestId?: string | undefined
}

/** Refused when it is settled already: the first answer stands. The number of `permission:resolved`. */
export async function settlePermission(tx: Tx, row: ApprovalRow, settlement: Settlement, now: Instant): Promise<number> {
  const { outcome, optionId, by, feedback = null, requestId } = settlement
  const settled = { ...row, outcome, option_id: optionId }
  const verdict = outcome === 'allowed' ? 'approved' : 'rejected'
  await moveApproval(tx, settled, { type: 'decide', verdict, by, feedback }, now)
  await tx.write(updateOutcome, { id: row.id, outcome, option_id: optionId })
  const launch = outcome === 'withdrawn' || row.launch_id === null ? undefined : await findLaunch(tx, row.launch_id)
  if (launch && launch.state !== 'ended' && row.ask_id !== null) {
    const order = { launchId: launch.id, askId: row.ask_id, optionId }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'permission-settled', data: order })
  }
  const data = { role: row.role ?? '', approvalId: row.id, outcome, optionId, decidedBy: by, requestId }
  return tx.append(userSessionStream(row.user_session_id ?? ''), { type: 'permission:resolved', data })
}

/** Nobody waits for the answers any more. */
export async function withdrawPermissions(tx: Tx, turnId: string, now: Instant): Promise<void> {
  for (const row of await tx.all(selectPendingOfTurn, { turnId })) await withdrawPermission(tx, row, now)
}

export async function withdrawPermission(tx: Tx, row: ApprovalRow, now: Instant): Promise<void> {
  await settlePermission(tx, row, { outcome: 'withdrawn', optionId: null, by: systemId }, now)
}

export const refusingOption = (row: ApprovalRow): string | null => optionFor('deny', JSON.parse(row.options ?? '[]'))
