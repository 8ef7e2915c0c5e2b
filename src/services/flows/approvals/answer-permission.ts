/** Answers to what agents ask: permission requests (AP4) and questions (AP13). */

import { systemId } from '../../../domain/access/caller.ts'
import { allowanceMinutes } from '../../../domain/approvals/allowance.ts'
import {
  isChoice,
  isKeptByAgent,
  type Option,
  optionFor,
  outcomeOf,
} from '../../../domain/approvals/permission.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { problemOf, type QuestionAnswer } from '../../../domain/turns/question.ts'
import type { AlwaysTerms } from '../../../protocol/approvals/allowance.ts'
import type { Approval } from '../../../protocol/approvals/approval.ts'
import {
  type ApprovalRow,
  approvalOf,
  permissionOf,
  questionOf,
} from '../../../store/approvals/approvals.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { addAllowance, allowanceRule, requestedFolder } from '../../approvals/allowance-record.ts'
import { refusingOption } from '../../approvals/approval-record.ts'
import { type AskedUserSession, existingUserSession } from '../../consoles/role-agent-record.ts'
import { invalidField, noSuchApproval } from '../../refusals.ts'
import { holdDecision, type PermissionChoice, settlePermission } from './decide-request.ts'

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
  /** AP15: for how many seconds it is held. */
  readonly hold?: number | undefined
}

interface Answered {
  /** The number of the event in the turn's stream that says so; 0 if the turn does not run. */
  readonly seq: number
  readonly approval: Approval
}

/**
 * Answers an agent's permission request (AP4) with an option, or yes or no for this once. The first
 * answer wins.
 */
export const answerPermission = defineUseCase('answer-permission', {
  scope: 'approve',
  on: 'approval',
  run: async (tx, { hold, requestId, by, ...input }: Input, context): Promise<Answered> => {
    const row = await askedRequest(tx, input)
    if (row.question !== null) throw noSuchApproval(input.approvalId)
    const { choice, always, feedback = null } = input
    if (hold === undefined)
      return givePermission(tx, row, { choice, always, feedback, by, requestId }, context)
    const { outcome } = await checkedPermission(tx, row, { choice, always }, context.now)
    const status = outcome === 'allowed' ? 'approved' : 'rejected'
    const decision = { kind: 'permission', choice, always, feedback } as const
    return holdDecision(tx, row, { decision, status, by, seconds: hold, requestId }, context.now)
  },
})

interface GivenPermission {
  readonly choice: PermissionChoice
  readonly always: AlwaysTerms | undefined
  readonly feedback: string | null
  readonly by: string
  readonly requestId?: string | undefined
  readonly wasHeld?: boolean
}

/** Carries the answer to a permission request out. */
export async function givePermission(
  tx: Tx,
  row: ApprovalRow,
  { choice, always, ...given }: GivenPermission,
  context: Context,
): Promise<Answered> {
  const { terms, ...settled } = settledWith(row, choice, always)
  const seq = await settlePermission(tx, row, { ...settled, ...given }, context.now)
  if (terms) await addAllowance(tx, row, { terms, by: given.by }, context)
  return { seq, approval: await approvalNow(tx, row) }
}

/** How a permission request would be settled. Refused like the answer itself would be. */
export async function checkedPermission(
  reader: Reader,
  row: ApprovalRow,
  { choice, always }: Pick<GivenPermission, 'choice' | 'always'>,
  now: Instant,
): Promise<Settled> {
  const { terms, ...settled } = settledWith(row, choice, always)
  if (terms) await allowanceRule(reader, row, terms, now)
  return settled
}

function settledWith(
  row: ApprovalRow,
  choice: PermissionChoice,
  always: AlwaysTerms | undefined,
): Settled & { readonly terms: AlwaysTerms | undefined } {
  const isQuestion = isChoice(JSON.parse(row.options ?? '[]'))
  if (isQuestion && always) throw invalidField('always', refusalText('alwaysNoQuestion'))
  const terms = isQuestion ? undefined : (always ?? impliedTerms(row, choice))
  return { ...(terms ? settlementForAlways(row, choice) : settlementOf(row, choice)), terms }
}

const approvalNow = async (reader: Reader, row: ApprovalRow): Promise<Approval> =>
  approvalOf((await reader.row('human_approvals', { id: row.id })) ?? row)

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
  run: async (tx, request: AskedRequest, { now }): Promise<{ expired: boolean }> => {
    const row = await askedRequest(tx, request)
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
  /** AP15: for how many seconds it is held. */
  readonly hold?: number | undefined
}

/**
 * Answers a question of an agent (AP13), once. What is accepted is checked against the question's
 * form.
 */
export const answerQuestion = defineUseCase('answer-question', {
  scope: 'approve',
  on: 'approval',
  run: async (
    tx,
    { answer, by, requestId, hold, ...asked }: GivenAnswer,
    { now },
  ): Promise<Answered> => {
    const row = await askedRequest(tx, asked)
    const given = checkedAnswer(row, answer)
    if (hold === undefined) return giveAnswer(tx, row, { answer: given, by, requestId }, now)
    const status = given.action === 'accept' ? 'approved' : 'rejected'
    const decision = { kind: 'question', answer: given } as const
    return holdDecision(tx, row, { decision, status, by, seconds: hold, requestId }, now)
  },
})

/** The answer as the agent is told it. What a pending question's form does not allow is refused. */
function checkedAnswer(row: ApprovalRow, { action, content }: QuestionAnswer): QuestionAnswer {
  const question = questionOf(row)
  if (!question) throw noSuchApproval(row.id)
  const hasForm = action === 'accept' && question.schema !== null
  const given = { action, content: hasForm ? (content ?? {}) : null }
  if (row.status !== 'pending') return given
  if (content && !given.content) throw invalidField('content', refusalText('answerNeedsForm'))
  const problem =
    question.schema && given.content ? problemOf(question.schema, given.content) : undefined
  if (problem) throw new Refusal('invalid_request', problem, { field: 'content' })
  return given
}

/** Carries the answer to a question out. */
export async function giveAnswer(
  tx: Tx,
  row: ApprovalRow,
  given: {
    readonly answer: QuestionAnswer
    readonly by: string
    readonly requestId?: string | undefined
    readonly wasHeld?: boolean
  },
  now: Instant,
): Promise<Answered> {
  const outcome = given.answer.action === 'accept' ? 'allowed' : 'denied'
  const seq = await settlePermission(tx, row, { outcome, optionId: null, ...given }, now)
  return { seq, approval: await approvalNow(tx, row) }
}
