/** What an agent is told of an approval it asked for (AP8), and the same in sentences for one that is given a prompt. Pure. */
import type { Instant } from '../instant.ts'
import { cutToTokens } from '../work/token-estimate.ts'
import type { Verdict } from './lifecycle.ts'

export interface ToldDecision {
  readonly approvalId: number
  readonly taskId: string | null
  readonly checkpointType: string
  /** What was asked. */
  readonly question: string | null
  readonly status: 'pending' | Verdict
  readonly feedback: string | null
  readonly decidedBy: string | null
  readonly decidedAt: Instant | null
}

/** Of what was asked; the whole of it is read with `get_approval`. */
const tokensOfQuestion = 100
const tokensOfFeedback = 1000

export const briefly = (decision: ToldDecision): ToldDecision => ({
  ...decision,
  question: decision.question && cutToTokens(decision.question, tokensOfQuestion),
  feedback: decision.feedback && cutToTokens(decision.feedback, tokensOfFeedback),
})

/** Which it is and how it stands: what is left of an old one when there is no room. */
export const barely = (decision: ToldDecision): ToldDecision => ({ ...decision, question: null, feedback: null })

/** Empty when there is nothing to tell. */
export function decisionsPrompt(decisions: readonly ToldDecision[]): string {
  if (decisions.length === 0) return ''
  return ['What people decided about what you asked. Heed it:', ...decisions.map((each) => `- ${decisionLine(each)}`)].join('\n')
}

const became: Readonly<Record<ToldDecision['status'], string>> = {
  pending: 'is not decided yet: do nothing that needs it',
  approved: 'was approved',
  rejected: 'was rejected',
  revision_requested: 'was sent back for revision',
}

function decisionLine({ approvalId, checkpointType, status, feedback, question }: ToldDecision): string {
  const verdict = `Approval ${approvalId} (${checkpointType}) ${became[status]}`
  return [feedback ? `${verdict}: ${feedback}` : verdict, question && `You had asked: ${question}`].filter(Boolean).join(' · ')
}
