/**
 * What an agent that is spoken to is told of its chat or task (CH12): the same that one which pulls would find with its tools, as a
 * prompt. Pure.
 */
import { shortened } from '../conversation/shortened.ts'
import { maxSummaryChars } from '../conversation/summary.ts'

interface Told {
  readonly content: string
}

/**
 * What people write is told as it is; what another agent does, with its name: it is no person's word. The summary stands before the
 * first that an agent hears of a conversation.
 */
export function promptOfMessages(messages: readonly Told[], summary: string | null, fromAgent: string | undefined): string {
  const words = messages.map(({ content }) => content).join('\n\n')
  const said = fromAgent === undefined ? words : `The agent ${fromAgent} writes to you:\n\n${words}`
  return summary === null ? said : `What was said before, in short:\n\n${summary}\n\n${said}`
}

const wishForSummary =
  'This conversation has grown long. Answer with a summary that can stand for all of it, and with nothing else: what was asked, decided ' +
  `and done, what is open, and every name, number and path that will be needed, in at most ${maxSummaryChars} characters.`

export const promptOfSummary = (earlier: string | null): string =>
  wishForSummary + (earlier === null ? '' : `\n\nThe earlier summary, which yours takes the place of:\n\n${earlier}`)

export const asksForSummary = (prompt: string): boolean => prompt.startsWith(wishForSummary)

const noSummary = 'There is no summary of what was said then.'

/** Nobody can be asked to say it shorter; and one that could not be had does not take the earlier with it. */
export function summaryFrom(answer: string, earlier: string): string {
  if (answer !== '') return shortened(answer, maxSummaryChars)
  if (earlier === '' || earlier.endsWith(noSummary)) return earlier || noSummary
  return `${earlier}\n\n${noSummary}`
}

interface Task {
  readonly id: string
  readonly title: string
  readonly description: string | null
}

/** `resume`: what is known about work that was begun before. */
export function promptOfTask({ id, title, description }: Task, resume: string | null): string {
  const parts = [`Task ${id}: ${title}`]
  if (description !== null) parts.push(description)
  if (resume !== null) parts.push(resume)
  parts.push('Do it, and answer with the result when it is done.')
  return parts.join('\n\n')
}
