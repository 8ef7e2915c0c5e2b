/**
 * What a context is told before its first prompt (CX2): who speaks and where, what was decided, the summary, what was said last. A context
 * that was brought back knows the rest itself and is told only what came since. Pure. Bounded by a budget of estimated tokens; what must
 * be known (who, decisions) is never left out.
 */
import { decisionsPrompt, type ToldDecision } from '../approvals/decision-for-agent.ts'
import { cutToTokens, estimateTokens } from '../work/token-estimate.ts'

export interface ToldMessage {
  readonly sender: string
  readonly at: string
  readonly content: string
}

export interface PrimerFacts {
  readonly conversationKey: string
  /** `web`, `telegram`, `console`, `work`, `agent` … */
  readonly channel: string
  readonly projectName: string
  /** Those who have spoken, as they are named in messages. */
  readonly people: readonly string[]
  readonly decisions: readonly ToldDecision[]
  readonly summary: string | null
  /** Of the day before, after a cutover; with its day. */
  readonly closedDay: { readonly day: string; readonly summary: string } | null
  /** Newest first, without those that are the prompt. */
  readonly messages: readonly ToldMessage[]
  /** The prompt is told a second time: a process ended while it worked on it. */
  readonly isRetry: boolean
}

const shareOfSummary = 1 / 4
const shareOfClosedDay = 1 / 10
const shareOfMessage = 1 / 8

/** What a primer and the news begin with: an agent can tell them from what a person wrote. */
export const primerMark = '[Holdfast]'

const retryWarning =
  'This was given to a process that ended before it answered; parts of it may be done. Look before you do them again.'

/** For a context that begins new. */
export function primerOf(facts: PrimerFacts, budgetTokens: number): string {
  const head = [whoAndWhere(facts), decisionsPrompt(facts.decisions)].filter(Boolean)
  const middle = [
    ...(facts.summary ? [titled('Summary of what was said before', facts.summary, budgetTokens * shareOfSummary)] : []),
    ...(facts.closedDay
      ? [titled(`Summary of ${facts.closedDay.day}`, facts.closedDay.summary, budgetTokens * shareOfClosedDay)]
      : []),
  ]
  const left = budgetTokens - [...head, ...middle].reduce((sum, each) => sum + estimateTokens(each), 0)
  const { lines, more } = newest(facts.messages, left, budgetTokens * shareOfMessage)
  const said = lines.length === 0 ? [] : [['What was said last, oldest first:', ...lines].join('\n')]
  const hint = more || facts.summary || facts.closedDay ? ['More can be read with the tool get_history.'] : []
  return [...head, ...middle, ...said, ...hint, ...retry(facts)].join('\n\n')
}

/** For one that was brought back: what it cannot know yet. null: nothing. */
export function newsOf(facts: PrimerFacts, budgetTokens: number): string | null {
  const { lines } = newest(facts.messages, budgetTokens, budgetTokens * shareOfMessage)
  const said = lines.length === 0 ? [] : [['Said since you were here last, oldest first:', ...lines].join('\n')]
  const parts = [decisionsPrompt(facts.decisions), ...said, ...retry(facts)].filter(Boolean)
  return parts.length === 0 ? null : `${primerMark} ${parts.join('\n\n')}`
}

function whoAndWhere({ conversationKey, channel, projectName, people }: PrimerFacts): string {
  const where = `${primerMark} This is the conversation ${conversationKey} (${channel}) in the project ${projectName}.`
  return people.length === 0 ? where : `${where} In it: ${people.join(', ')}.`
}

const retry = ({ isRetry }: PrimerFacts): string[] => (isRetry ? [retryWarning] : [])

const titled = (title: string, text: string, tokens: number): string => `${title}:\n${cutToTokens(text, Math.floor(tokens))}`

function newest(messages: readonly ToldMessage[], budget: number, perMessage: number): { lines: string[]; more: boolean } {
  const lines: string[] = []
  let left = budget
  for (const { sender, at, content } of messages) {
    const line = `[${at}] ${sender}: ${cutToTokens(content, Math.floor(perMessage))}`
    left -= estimateTokens(line)
    if (left < 0) return { lines: lines.reverse(), more: true }
    lines.push(line)
  }
  return { lines: lines.reverse(), more: false }
}
