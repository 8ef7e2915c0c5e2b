/** What an agent learns about its approvals (AP8), as data and as text for a prompt. Pure. */

import { cutToTokens } from '../conversations/messages.ts'
import type { Instant } from '../instant.ts'
import type { Verdict } from './lifecycle.ts'

export interface AgentDecision {
  readonly approvalId: number
  readonly taskId: string | null
  readonly checkpointType: string
  readonly question: string | null
  readonly status: 'pending' | Verdict
  readonly feedback: string | null
  readonly decidedBy: string | null
  readonly decidedAt: Instant | null
}

/** Tokens that the question and the feedback are cut to; `get_approval` returns all of them. */
const tokensOfQuestion = 100
const tokensOfFeedback = 1000

export const briefly = (decision: AgentDecision): AgentDecision => ({
  ...decision,
  question: decision.question && cutToTokens(decision.question, tokensOfQuestion),
  feedback: decision.feedback && cutToTokens(decision.feedback, tokensOfFeedback),
})

/** Id and status only, for old ones when space is short. */
export const barely = (decision: AgentDecision): AgentDecision => ({
  ...decision,
  question: null,
  feedback: null,
})

/** Empty when there are none. */
export function decisionsPrompt(decisions: readonly AgentDecision[]): string {
  if (decisions.length === 0) return ''
  return [
    'What people decided about what you asked. Heed it:',
    ...decisions.map((each) => `- ${decisionLine(each)}`),
  ].join('\n')
}

const became: Readonly<Record<AgentDecision['status'], string>> = {
  pending: 'is not decided yet: do nothing that needs it',
  approved: 'was approved',
  rejected: 'was rejected',
  revision_requested: 'was sent back for revision',
}

function decisionLine({
  approvalId,
  checkpointType,
  status,
  feedback,
  question,
}: AgentDecision): string {
  const verdict = `Approval ${approvalId} (${checkpointType}) ${became[status]}`
  return [feedback ? `${verdict}: ${feedback}` : verdict, question && `You had asked: ${question}`]
    .filter(Boolean)
    .join(' · ')
}
