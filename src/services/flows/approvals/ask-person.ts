/**
 * Asks a person for an agent in its turn: a tool permission (AP4) or a question (AP13), as an
 * approval that is durable before it is shown.
 */

import {
  isChoice,
  optionFor,
  type PermissionPolicy,
  policyAnswer,
} from '../../../domain/approvals/permission.ts'
import { type Instant, later } from '../../../domain/instant.ts'
import { durationMs } from '../../../domain/projects/settings.ts'
import { storable } from '../../../protocol/text.ts'
import type { PermissionRequest } from '../../../protocol/turns/agent-update.ts'
import type { Question } from '../../../protocol/turns/question.ts'
import type { Pair } from '../../../store/agent-sessions/agent-sessions.ts'
import { type PermissionColumns, selectAsked } from '../../../store/approvals/approvals.ts'
import type { Tx } from '../../../store/store.ts'
import { relayRole, type TurnRow } from '../../../store/turns/turns.ts'
import { coveringAllowance, isHostRequest } from '../../approvals/allowance-record.ts'
import { addApproval } from '../../approvals/approval-record.ts'
import { askInChat } from '../../channels/ask-record.ts'
import { settingsOf } from '../../projects/project-record.ts'
import { tellSession } from '../../tell-session.ts'
import { tellInTurn } from '../../turns/tell-in-turn.ts'
import { settlePermission } from './decide-request.ts'

// Creates and settles tool permissions (AP4) and questions (AP13) as approvals: durable before
// shown, settled once, announced in the project, home, the turn's stream, and to the agent.

const toolPermission = 'tool_permission'

const question = 'question'

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
  question: AskedBy & { readonly request: PermissionRequest; readonly byPerson?: boolean },
  now: Instant,
): Promise<void> {
  const { turn } = source
  const { project_id: projectId, agent_id: agentId } = turn
  const { request } = question
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
    question,
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
  tellInTurn(tx, turn, { type: 'permission:requested', data: shown })
  const answer = await automaticAnswer(tx, { projectId, agentId }, request, {
    policy:
      question.byPerson || isHostRequest(request)
        ? 'ask'
        : (settings['permission.policy'] as PermissionPolicy),
    now,
  })
  const row = answer && (await tx.first(selectAsked, question))
  if (row) await settlePermission(tx, row, { outcome: 'allowed', ...answer }, now)
  else await askInChat(tx, keyOfAsking(turn), approvalId, now)
}

/** Creates a question (AP13). A repeated one is ignored; no policy answers it. */
export async function requestAnswer(
  tx: Tx,
  source: PermissionSource,
  input: AskedBy & { readonly question: Question },
  now: Instant,
): Promise<void> {
  const { turn } = source
  const { message, schema, url } = input.question
  const columns = { question: JSON.stringify({ message, schema, url }) }
  const added = await addRequest(
    tx,
    source,
    input,
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
  tellInTurn(tx, turn, { type: 'question:requested', data })
  await askInChat(tx, keyOfAsking(turn), questionId, now)
}

/** Where people see what is asked: an agent that another one asks, asks in that one's chat. */
const keyOfAsking = ({ origin_key, conversation_key }: TurnRow): string =>
  origin_key || conversation_key

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
  await tellSession(tx, turn.conversation_key)
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
