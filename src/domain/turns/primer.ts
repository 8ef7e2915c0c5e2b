/**
 * Builds the text a context gets before its first prompt (CX2): participants, decisions, summary and the last messages. A
 * restored context gets only what is new. Limited by a budget of estimated tokens; participants and decisions are always
 * included. Pure.
 */
import { type AgentDecision, decisionsPrompt } from '../approvals/decision-for-agent.ts'
import { cutToTokens, estimateTokens } from '../work/token-estimate.ts'

export interface PrimerMessage {
  readonly sender: string
  readonly at: string
  readonly content: string
}

export interface PrimerFacts {
  readonly conversationKey: string
  /** `web`, `telegram`, `console`, `work`, `agent` … */
  readonly channel: string
  readonly projectName: string
  /** Participants by name. */
  readonly people: readonly string[]
  readonly decisions: readonly AgentDecision[]
  readonly summary: string | null
  /** The summary of the previous day, after a cutover. */
  readonly closedDay: { readonly day: string; readonly summary: string } | null
  /** Newest first, without those in the prompt. */
  readonly messages: readonly PrimerMessage[]
  /** The prompt is sent again, because a process ended while working on it. */
  readonly isRetry: boolean
}

const shareOfSummary = 1 / 4
const shareOfClosedDay = 1 / 10
const shareOfMessage = 1 / 8

/** Begins a primer or news, so that agents can tell them from a person's text. */
export const primerMark = '[Holdfast]'

const retryWarning =
  'This was given to a process that ended before it answered; parts of it may be done. Look before you do them again.'

/** The primer of a new context. */
export function primerOf(facts: PrimerFacts, budgetTokens: number): string {
  const head = [introduction(facts), decisionsPrompt(facts.decisions)].filter(Boolean)
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

/** The news for a restored context; null when there is none. */
export function newsOf(facts: PrimerFacts, budgetTokens: number): string | null {
  const { lines } = newest(facts.messages, budgetTokens, budgetTokens * shareOfMessage)
  const said = lines.length === 0 ? [] : [['Said since you were here last, oldest first:', ...lines].join('\n')]
  const parts = [decisionsPrompt(facts.decisions), ...said, ...retry(facts)].filter(Boolean)
  return parts.length === 0 ? null : `${primerMark} ${parts.join('\n\n')}`
}

function introduction({ conversationKey, channel, projectName, people }: PrimerFacts): string {
  const where = `${primerMark} This is the conversation ${conversationKey} (${channel}) in the project ${projectName}.`
  return people.length === 0 ? where : `${where} In it: ${people.join(', ')}.`
}

const retry = ({ isRetry }: PrimerFacts): string[] => (isRetry ? [retryWarning] : [])

const titled = (title: string, text: string, tokens: number): string => `${title}:\n${cutToTokens(text, Math.floor(tokens))}`

function newest(messages: readonly PrimerMessage[], budget: number, perMessage: number): { lines: string[]; more: boolean } {
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
