/** Finds, creates and moves approvals, tool permissions and questions among them. */

import { systemId } from '../../domain/access/caller.ts'
import {
  type ApprovalEvent,
  type ApprovalRefusal,
  decideApproval,
  type Verdict,
} from '../../domain/approvals/lifecycle.ts'
import {
  isChoice,
  optionFor,
  type PermissionPolicy,
  policyAnswer,
} from '../../domain/approvals/permission.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import {
  coordinatorStream,
  home,
  projectStream,
  type StreamName,
  turnsStream,
  userSessionStream,
} from '../../domain/stream-name.ts'
import type { QuestionAnswer } from '../../domain/turns/question.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { PermissionOutcome } from '../../protocol/consoles/user-session.ts'
import { storable } from '../../protocol/text.ts'
import type { PermissionRequest } from '../../protocol/turns/agent-update.ts'
import type { Question } from '../../protocol/turns/question.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import {
  type ApprovalRow,
  approvalColumns,
  approvalFrom,
  approvalOf,
  nextApprovalId,
  type PermissionColumns,
  selectAsked,
  selectPendingOfTurn,
  updateApproval,
  updateOutcome,
} from '../../store/approvals/approvals.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { newRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'
import { ownerOfApproval } from '../access/owners.ts'
import { type ContextCaller, personOfCaller } from '../conversations/own-conversation.ts'
import { settingsOf } from '../projects/project-record.ts'
import { noSuchApproval, noSuchProject } from '../refusals.ts'
import { relayRole, turnStream } from '../turns/turn-record.ts'
import { recordCheckpoint } from '../work/end-work-session.ts'
import { coveringAllowance, isHostRequest } from './allowance-record.ts'
import type { PermissionLocks } from './queries.ts'

interface Place {
  readonly projectId: string
  readonly approvalId: number
}

/** An approval of a project. Another project's is not found. */
export async function existingApproval(
  reader: Reader,
  { projectId, approvalId }: Place,
): Promise<ApprovalRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('human_approvals', { id: approvalId })
  if (row?.project_id !== projectId) throw noSuchApproval(approvalId)
  return row
}

/** SE3, SE28: an agent finds its own approvals only, and what was asked in a console in that person's consoles only. */
export async function approvalOfAgent(
  reader: Reader,
  place: Place,
  caller: ContextCaller,
): Promise<ApprovalRow> {
  const row = await existingApproval(reader, place)
  if (row.leader_id !== caller.agentId || !(await isOfCaller(reader, row, caller)))
    throw noSuchApproval(place.approvalId)
  return row
}

export async function isOfCaller(
  reader: Reader,
  row: ApprovalRow,
  caller: ContextCaller,
): Promise<boolean> {
  const owner = await ownerOfApproval(reader, row)
  return owner === null || (owner !== undefined && owner === (await personOfCaller(reader, caller)))
}

const eventTypes = { decide: 'approval-decided', resubmit: 'approval-resubmitted' } as const

/**
 * Decides or resubmits an approval and announces it in its project and home. Exactly one decision wins, because both streams
 * are locked; later callers learn who decided (AP1). The calling use case locks both streams.
 */
export async function moveApproval(
  tx: Tx,
  row: ApprovalRow,
  event: ApprovalEvent,
  now: Instant,
): Promise<Approval> {
  const decision = decideApproval(now, approvalFrom(row), event)
  if (decision.outcome === 'refused') throw refusalOf(row.id, decision.refusal)
  const moved = { ...row, ...approvalColumns(decision.approval) }
  // A decision made here replaces what files said.
  await tx.write(updateApproval, { ...moved, imported_decider: null })
  if (row.told_to !== null) await tx.change('human_approvals', { id: row.id, told_to: null })
  const approval = approvalOf(moved)
  tx.append(projectStream(row.project_id), { type: eventTypes[event.type], data: { approval } }, [
    home,
  ])
  const { project_id: projectId, session_id: workSessionId } = row
  if (event.type === 'decide' && workSessionId !== null)
    await recordCheckpoint(tx, {
      projectId,
      workSessionId,
      reason: 'approval_decided',
      subject: String(row.id),
      now,
    })
  return approval
}

const decidedTexts = {
  approved: 'hasApproved',
  rejected: 'hasRejected',
  revision_requested: 'hasSentBack',
} as const satisfies Record<Verdict, string>

function refusalOf(approvalId: number, refusal: ApprovalRefusal): Refusal {
  if (refusal.code === 'wrong_state') {
    const detail = refusalText('approvalNotBack', { id: approvalId, state: refusal.status })
    return new Refusal('wrong_state', detail, {
      state: refusal.status,
      wanted: 'revision_requested',
    })
  }
  const { decidedBy, decision } = refusal
  return new Refusal(
    'approval_decided',
    refusalText(decidedTexts[decision], { id: approvalId, who: decidedBy }),
    {
      decidedBy,
      decision,
    },
  )
}

interface NewApproval {
  readonly projectId: string
  readonly workSessionId: string | null
  readonly taskId: string | null
  readonly checkpointType: string
  readonly leaderId: string
  readonly agentSessionId: string | null
  readonly conversationKey?: string | null | undefined
  readonly instructionContent?: string | null | undefined
  readonly workerInstructions?: readonly unknown[] | undefined
  readonly artifacts?: readonly unknown[] | undefined
  readonly permission?: PermissionColumns
}

/**
 * Creates an approval for a person, script or agent. It is durable and numbered before it is shown (AP3). The calling use case
 * locks `home`, which numbers approvals, and the project's stream.
 */
export async function addApproval(tx: Tx, asked: NewApproval, now: Instant): Promise<Approval> {
  const row = newRow('human_approvals', {
    id: await nextApprovalId(tx),
    session_id: asked.workSessionId,
    project_id: asked.projectId,
    checkpoint_type: asked.checkpointType,
    leader_id: asked.leaderId,
    task_id: asked.taskId,
    asked_by_agent_session_id: asked.agentSessionId,
    conversation_key: asked.conversationKey ?? null,
    submitted_at: now,
    instruction_content: asked.instructionContent ?? null,
    worker_instructions: JSON.stringify(asked.workerInstructions ?? []),
    artifacts: JSON.stringify(asked.artifacts ?? []),
    ...asked.permission,
  })
  await tx.insert('human_approvals', row)
  const approval = approvalOf(row)
  tx.append(projectStream(row.project_id), { type: 'approval-asked', data: { approval } }, [home])
  return approval
}

// Creates and settles tool permissions (AP4) and questions (AP13) as approvals: durable before shown, settled once, announced
// in the project, home, the turn's stream, and to the agent. The calling use case locks these streams.

const toolPermission = 'tool_permission'
const question = 'question'

export const permissionStreams = ({
  projectId,
  userSessionId,
  coordinatorId,
  conversationKey,
}: PermissionLocks): StreamName[] => [
  home,
  projectStream(projectId),
  ...(userSessionId === null ? [] : [userSessionStream(userSessionId)]),
  ...(conversationKey === null ? [] : [turnsStream(conversationKey)]),
  ...(coordinatorId === null ? [] : [coordinatorStream(coordinatorId)]),
]

interface AskedBy {
  readonly launchId: string
  readonly turnId: string
  readonly askId: string
}

interface PermissionSource {
  readonly turn: TurnRow
  readonly workSessionId: string | null
}

/** Creates a permission request. A repeated one is ignored. */
export async function requestPermission(
  tx: Tx,
  source: PermissionSource,
  /** `byPerson`: no policy answers it. */
  asked: AskedBy & { readonly request: PermissionRequest; readonly byPerson?: boolean },
  now: Instant,
): Promise<void> {
  const { turn } = source
  const { project_id: projectId, agent_id: agentId } = turn
  const { request } = asked
  const { call, options, digest, likeness } = request
  const columns = {
    digest,
    likeness,
    options: JSON.stringify(options),
    tool_call: JSON.stringify(call),
  }
  const added = await addRequest(
    tx,
    source,
    asked,
    { type: toolPermission, title: call.title, columns },
    now,
  )
  if (!added) return
  const { approvalId, deadline, settings } = added
  const shown = {
    role: relayRole(turn),
    approvalId,
    messageId: turn.id,
    title: call.title,
    call,
    options,
    likeness,
    deadline,
  }
  tx.append(turnStream(turn), { type: 'permission:requested', data: shown })
  const answer = await automaticAnswer(tx, { projectId, agentId }, request, {
    policy:
      asked.byPerson || isHostRequest(request)
        ? 'ask'
        : (settings['permission.policy'] as PermissionPolicy),
    now,
  })
  const row = answer && (await tx.first(selectAsked, asked))
  if (row) await settlePermission(tx, row, { outcome: 'allowed', ...answer }, now)
}

/** Creates a question (AP13). A repeated one is ignored; no policy answers it. */
export async function requestAnswer(
  tx: Tx,
  source: PermissionSource,
  asked: AskedBy & { readonly question: Question },
  now: Instant,
): Promise<void> {
  const { turn } = source
  const { message, schema, url } = asked.question
  const columns = { question: JSON.stringify({ message, schema, url }) }
  const added = await addRequest(
    tx,
    source,
    asked,
    { type: question, title: message, columns },
    now,
  )
  if (!added) return
  const { approvalId: questionId, deadline } = added
  const data = {
    role: relayRole(turn),
    questionId,
    messageId: turn.id,
    message,
    schema,
    url,
    deadline,
  }
  tx.append(turnStream(turn), { type: 'question:requested', data })
}

/** Adds the approval of a request. Undefined when it is there. */
async function addRequest(
  tx: Tx,
  { turn, workSessionId }: PermissionSource,
  { launchId, askId }: AskedBy,
  { type, title, columns }: { type: string; title: string; columns: Partial<PermissionColumns> },
  now: Instant,
) {
  if (await tx.first(selectAsked, { launchId, askId })) return undefined
  const { project_id: projectId, user_session_id, role, id: turn_id } = turn
  const settings = await settingsOf(tx, projectId)
  const deadline = later(now, durationMs(settings, 'permission.deadline_minutes'))
  const about = { ask_id: askId, launch_id: launchId, turn_id, user_session_id, role, deadline }
  const { id: approvalId } = await addApproval(
    tx,
    {
      projectId,
      workSessionId,
      taskId: null,
      checkpointType: type,
      leaderId: turn.agent_id,
      agentSessionId: null,
      instructionContent: storable(title),
      permission: { ...about, ...columns },
    },
    now,
  )
  return { approvalId, deadline, settings }
}

/** The automatic answer from the policy or an allowance (AG6). The record names which. */
async function automaticAnswer(
  tx: Tx,
  { projectId, agentId }: Pair,
  request: PermissionRequest,
  { policy, now }: { policy: PermissionPolicy; now: Instant },
): Promise<{ optionId: string; by: string } | undefined> {
  const { call, options } = request
  // AP14: only a person answers a question.
  if (isChoice(options)) return undefined
  const byPolicy = policyAnswer(policy, call.toolKind, options)
  if (byPolicy !== null) return { optionId: byPolicy, by: `policy ${policy}` }
  const optionId = optionFor('allow', options)
  const allowance =
    optionId === null
      ? undefined
      : await coveringAllowance(tx, { projectId, agentId, request }, now)
  return optionId !== null && allowance
    ? { optionId, by: allowedAlways(allowance.created_by) }
    : undefined
}

const allowedAlways = (giver: string): string => `policy allow_always by ${giver}`

interface Settlement {
  readonly outcome: PermissionOutcome
  readonly optionId: string | null
  readonly by: string
  /** AP13: to a question. */
  readonly answer?: QuestionAnswer
  readonly feedback?: string | null
  readonly requestId?: string | undefined
}

const noAnswer: QuestionAnswer = { action: 'cancel', content: null }

/** Settles a permission or a question, once. Returns the number of the event that says so, or 0 if the turn does not run. */
export async function settlePermission(
  tx: Tx,
  row: ApprovalRow,
  settlement: Settlement,
  now: Instant,
): Promise<number> {
  const { outcome, optionId, by, feedback = null, requestId } = settlement
  const answer = row.question === null ? undefined : (settlement.answer ?? noAnswer)
  const settled = {
    ...row,
    outcome,
    option_id: optionId,
    answer: answer ? JSON.stringify(answer) : null,
  }
  const verdict = outcome === 'allowed' ? 'approved' : 'rejected'
  await moveApproval(tx, settled, { type: 'decide', verdict, by, feedback }, now)
  await tx.write(updateOutcome, settled)
  const launch =
    outcome === 'withdrawn' || row.launch_id === null
      ? undefined
      : await findLaunch(tx, row.launch_id)
  if (launch && launch.state !== 'ended' && row.ask_id !== null) {
    const order = { launchId: launch.id, askId: row.ask_id, optionId, ...(answer && { answer }) }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'permission-settled', data: order })
  }
  const turn = row.turn_id === null ? undefined : await tx.row('turns', { id: row.turn_id })
  if (turn?.state !== 'running') return 0
  const resolved = { role: relayRole(turn), outcome, decidedBy: by, requestId }
  if (answer)
    return tx.append(turnStream(turn), {
      type: 'question:resolved',
      data: { ...resolved, questionId: row.id, ...answer },
    })
  const data = { ...resolved, approvalId: row.id, optionId }
  return tx.append(turnStream(turn), { type: 'permission:resolved', data })
}

export async function withdrawPermissions(tx: Tx, turnId: string, now: Instant): Promise<void> {
  for (const row of await tx.all(selectPendingOfTurn, { turnId }))
    await withdrawPermission(tx, row, now)
}

/** Withdraws a permission request at the agent's wish. */
export async function withdrawRequest(
  tx: Tx,
  asked: { launchId: string; askId: string },
  now: Instant,
): Promise<void> {
  const row = await tx.first(selectAsked, asked)
  if (row?.status === 'pending') await withdrawPermission(tx, row, now)
}

async function withdrawPermission(tx: Tx, row: ApprovalRow, now: Instant): Promise<void> {
  await settlePermission(tx, row, { outcome: 'withdrawn', optionId: null, by: systemId }, now)
}

/** AP14: no option refuses a question. */
export function refusingOption(row: ApprovalRow): string | null {
  const options = JSON.parse(row.options ?? '[]')
  return isChoice(options) ? null : optionFor('deny', options)
}
