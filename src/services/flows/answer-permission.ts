/** Answers to what agents ask: permission requests (AP4) and questions (AP13). */

import { systemId } from '../../domain/access/caller.ts'
import { allowanceMinutes } from '../../domain/approvals/allowance.ts'
import {
  isChoice,
  isKeptByAgent,
  type Option,
  optionFor,
  outcomeOf,
} from '../../domain/approvals/permission.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { problemOf, type QuestionAnswer } from '../../domain/turns/question.ts'
import type { AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import {
  type ApprovalRow,
  approvalOf,
  permissionOf,
  questionOf,
} from '../../store/approvals/approvals.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { addAllowance, requestedFolder } from '../approvals/allowance-record.ts'
import { refusingOption } from '../approvals/approval-record.ts'
import { type AskedUserSession, existingUserSession } from '../consoles/role-agent-record.ts'
import { invalidField, noSuchApproval } from '../refusals.ts'
import { settlePermission } from './decide-request.ts'

export type PermissionChoice = { readonly optionId: string } | { readonly choose: 'allow' | 'deny' }

interface AskedRequest {
  readonly approvalId: number
  /** The user session that it must have been asked in. Left out: anywhere. */
  readonly within?: AskedUserSession | undefined
}

/** What an agent asks a person. What was asked elsewhere is not found. */
async function askedRequest(
  reader: Reader,
  { approvalId, within }: AskedRequest,
): Promise<ApprovalRow> {
  if (within) await existingUserSession(reader, within)
  const row = await reader.row('human_approvals', { id: approvalId })
  const isThere = !within || row?.user_session_id === within.userSessionId
  if (!row || row.ask_id === null || !isThere) throw noSuchApproval(approvalId)
  return row
}

interface Input extends AskedRequest {
  readonly choice: PermissionChoice
  /** AG6: terms of an "always" given with a yes. */
  readonly always?: AlwaysTerms | undefined
  readonly feedback?: string | null | undefined
  readonly by: string
  readonly requestId?: string | undefined
}

/**
 * Answers an agent's permission request (AP4) with an option, or yes or no for this once. The first
 * answer wins.
 */
export const answerPermission = defineUseCase('answer-permission', {
  scope: 'approve',
  on: 'approval',
  run: async (tx, { choice, always, feedback, by, requestId, ...asked }: Input, context) => {
    const { approvalId } = asked
    const row = await askedRequest(tx, asked)
    if (row.question !== null) throw noSuchApproval(approvalId)
    const isQuestion = isChoice(JSON.parse(row.options ?? '[]'))
    if (isQuestion && always) throw invalidField('always', refusalText('alwaysNoQuestion'))
    const terms = isQuestion ? undefined : (always ?? impliedTerms(row, choice))
    const settled = terms ? settlementForAlways(row, choice) : settlementOf(row, choice)
    const seq = await settlePermission(
      tx,
      row,
      { ...settled, by, feedback: feedback ?? null, requestId },
      context.now,
    )
    if (terms) await addAllowance(tx, row, { terms, by }, context)
    return {
      seq,
      approval: approvalOf(
        (await tx.row('human_approvals', { id: approvalId })) ?? row,
      ) as Approval,
    }
  },
})

/**
 * Settles for "always" (AG6): the allowance has an expiry and can be revoked; the agent gets a yes
 * for this once.
 */
function settlementForAlways(row: ApprovalRow, choice: PermissionChoice): Settled {
  if (settlementOf(row, choice).outcome === 'denied')
    throw invalidField('always', refusalText('alwaysWithYes'))
  return settlementOf(row, { choose: 'allow' })
}

const folderMinutes = 60

/**
 * The agent's own "always" option is treated as ours: exactly this request, for the default time.
 * Refused if the request cannot be recognised again, because nobody could see or revoke what the
 * agent would allow itself.
 */
function impliedTerms(row: ApprovalRow, choice: PermissionChoice): AlwaysTerms | undefined {
  const permission = permissionOf(row)
  // SB9: its agent sees the folder from the next process on.
  if (
    permission &&
    requestedFolder(permission) !== null &&
    settlementOf(row, choice).outcome === 'allowed'
  )
    return { scope: 'request', expiresInMinutes: folderMinutes }
  const kind =
    'optionId' in choice &&
    permission?.options.find(({ optionId }) => optionId === choice.optionId)?.kind
  if (
    kind !== 'allow_always' ||
    !permission ||
    isKeptByAgent(permission.call.toolKind, permission.options)
  )
    return undefined
  return { scope: 'request', expiresInMinutes: allowanceMinutes.default }
}

interface Settled {
  readonly outcome: 'allowed' | 'denied'
  readonly optionId: string | null
}

function settlementOf(row: ApprovalRow, choice: PermissionChoice): Settled {
  const options = JSON.parse(row.options ?? '[]')
  if (isChoice(options)) return settlementOfQuestion(options, choice)
  if ('choose' in choice) {
    const optionId = optionFor(choice.choose, options)
    if (choice.choose === 'deny') return { outcome: 'denied', optionId }
    if (optionId === null) throw new Refusal('wrong_state', refusalText('noWayToAllow'))
    return { outcome: 'allowed', optionId }
  }
  const { optionId } = choice
  const outcome = outcomeOf(optionId, options)
  if (!outcome) throw invalidField('optionId', refusalText('notOffered', { id: optionId }))
  return { outcome, optionId }
}

/** AP14: any of its options is an answer, and none refuses it. */
function settlementOfQuestion(options: readonly Option[], choice: PermissionChoice): Settled {
  if ('choose' in choice) {
    if (choice.choose === 'deny') return { outcome: 'denied', optionId: null }
    const ids = options.map((each) => each.optionId).join(', ')
    throw new Refusal('option_needed', refusalText('optionNeeded', { ids }), {
      field: 'optionId',
      options,
    })
  }
  const { optionId } = choice
  if (!options.some((each) => each.optionId === optionId))
    throw invalidField('optionId', refusalText('notOffered', { id: optionId }))
  return { outcome: 'allowed', optionId }
}

/**
 * Expires a permission request past its deadline (AP4). The agent gets a refusal. Running this too
 * early changes nothing.
 */
export const expirePermission = defineUseCase('expire-permission', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, asked: AskedRequest, { now }): Promise<{ expired: boolean }> => {
    const row = await askedRequest(tx, asked)
    const isDue = row.status === 'pending' && row.deadline !== null && row.deadline <= now
    if (!isDue) return { expired: false }
    await settlePermission(
      tx,
      row,
      { outcome: 'expired', optionId: refusingOption(row), by: systemId },
      now,
    )
    return { expired: true }
  },
})

interface GivenAnswer extends AskedRequest {
  readonly answer: QuestionAnswer
  readonly by: string
  readonly requestId?: string | undefined
}

/**
 * Answers a question of an agent (AP13), once. What is accepted is checked against the question's
 * form.
 */
export const answerQuestion = defineUseCase('answer-question', {
  scope: 'approve',
  on: 'approval',
  run: async (tx, { answer, by, requestId, ...asked }: GivenAnswer, { now }) => {
    const { approvalId } = asked
    const row = await askedRequest(tx, asked)
    const question = questionOf(row)
    if (!question) throw noSuchApproval(approvalId)
    const outcome = answer.action === 'accept' ? 'allowed' : 'denied'
    const given = {
      action: answer.action,
      content: outcome === 'allowed' && question.schema ? (answer.content ?? {}) : null,
    }
    if (row.status === 'pending') {
      if (answer.content && !given.content)
        throw invalidField('content', refusalText('answerNeedsForm'))
      const problem =
        question.schema && given.content ? problemOf(question.schema, given.content) : undefined
      if (problem) throw new Refusal('invalid_request', problem, { field: 'content' })
    }
    const seq = await settlePermission(
      tx,
      row,
      { outcome, optionId: null, answer: given, by, requestId },
      now,
    )
    return {
      seq,
      approval: approvalOf(
        (await tx.row('human_approvals', { id: approvalId })) ?? row,
      ) as Approval,
    }
  },
})
