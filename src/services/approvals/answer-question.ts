/** Answers a question of an agent (AP13), once. What is accepted is checked against the question's form. */

import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { problemOf, type QuestionAnswer } from '../../domain/turns/question.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import { approvalOf, questionOf, selectApproval } from '../../store/approvals/approvals.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchApproval } from '../refusals.ts'
import { permissionStreams, settlePermission } from './permission-record.ts'
import type { PermissionLocks } from './queries.ts'

interface Input extends PermissionLocks {
  readonly answer: QuestionAnswer
  readonly by: string
  readonly requestId?: string | undefined
}

export const answerQuestion = defineUseCase('answer-question', {
  streams: (input: Input) => permissionStreams(input),
  run: async (tx, { userSessionId, approvalId, answer, by, requestId }, { now }) => {
    const row = await tx.first(selectApproval, { id: approvalId })
    const question = row && questionOf(row)
    if (!question || row.user_session_id !== userSessionId) throw noSuchApproval(approvalId)
    const outcome = answer.action === 'accept' ? 'allowed' : 'denied'
    const given = { action: answer.action, content: outcome === 'allowed' && question.schema ? (answer.content ?? {}) : null }
    if (row.status === 'pending') {
      if (answer.content && !given.content)
        throw new Refusal('invalid_request', inField('content', refusalText('answerNeedsForm')), { field: 'content' })
      const problem = question.schema && given.content ? problemOf(question.schema, given.content) : undefined
      if (problem) throw new Refusal('invalid_request', problem, { field: 'content' })
    }
    const seq = await settlePermission(tx, row, { outcome, optionId: null, answer: given, by, requestId }, now)
    return { seq, approval: approvalOf((await tx.first(selectApproval, { id: approvalId })) ?? row) as Approval }
  },
})
