/** Prompts for ACP agents about a chat or task (CH12), with the same content that pulling agents get from tools. Pure. */
import { maxSummaryChars, shortened } from '../conversations/summary.ts'

interface PromptMessage {
  readonly content: string
  /** The sender's name. */
  readonly sender: string
  /** The agent that wrote it; undefined for a person. */
  readonly fromAgent: string | undefined
  /** It answers this agent's question. */
  readonly isAnswer: boolean
  readonly handoffId: string | null
}

/** Joins messages to a prompt. Names are added when several people write; messages of agents are always marked. */
export function promptOfMessages(messages: readonly PromptMessage[]): string {
  const several = new Set(messages.filter(({ fromAgent }) => fromAgent === undefined).map(({ sender }) => sender)).size > 1
  return messages.map((message) => messageText(message, several)).join('\n\n')
}

function messageText({ content: written, sender, fromAgent, isAnswer, handoffId }: PromptMessage, several: boolean): string {
  const content = handoffId === null ? written : `${written}\n\n(This belongs to the handoff ${handoffId}.)`
  if (fromAgent === undefined) return several ? `${sender}: ${content}` : content
  return `The agent ${fromAgent} ${isAnswer ? 'answers you' : 'writes to you'}:\n\n${content}`
}

const summaryRequest =
  'This conversation has grown long. Answer with a summary that can stand for all of it, and with nothing else: what was asked, decided ' +
  `and done, what is open, and every name, number and path that will be needed, in at most ${maxSummaryChars} characters.`

export const promptOfSummary = (earlier: string | null): string =>
  summaryRequest + (earlier === null ? '' : `\n\nThe earlier summary, which yours takes the place of:\n\n${earlier}`)

export const asksForSummary = (prompt: string): boolean => prompt.startsWith(summaryRequest)

const noSummary = 'There is no summary of what was said then.'

/** Shortens a summary that is too long. Without an answer, the earlier summary is kept. */
export function summaryFrom(answer: string, earlier: string): string {
  if (answer !== '') return shortened(answer, maxSummaryChars)
  if (earlier === '' || earlier.endsWith(noSummary)) return earlier || noSummary
  return `${earlier}\n\n${noSummary}`
}

/** For a task whose turn ended without an answer. */
export const promptToContinue = (stopReason: string | null): string =>
  stopReason === 'empty'
    ? 'Your last turn ended without an answer. Go on with the task, and answer with the result when it is done.'
    : 'Your last turn was cut off before it was done. Go on where you stopped, and answer with the result when it is done.'

interface Task {
  readonly id: string
  readonly title: string
  readonly description: string | null
}

/** `resume`: what is known about work begun before. */
export function promptOfTask({ id, title, description }: Task, resume: string | null): string {
  const parts = [`Task ${id}: ${title}`]
  if (description !== null) parts.push(description)
  if (resume !== null) parts.push(resume)
  parts.push('Do it, and answer with the result when it is done.')
  return parts.join('\n\n')
}
