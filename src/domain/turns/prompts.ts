/**
 * Prompts for ACP agents about a chat or task (CH12), with the same content that pulling agents get
 * from tools. Pure.
 */

import { type AgentDecision, decisionsPrompt } from '../approvals/decision-for-agent.ts'
import {
  cutToTokens,
  estimateTokens,
  maxSummaryChars,
  shortened,
} from '../conversations/messages.ts'
import { indented } from '../conversations/senders.ts'
import type { GivenApproach, RememberedTask, ResumeContext } from '../work/resume-context.ts'
import { denied, probablyError } from './lifecycle.ts'

interface PromptMessage {
  readonly content: string
  readonly sender: string
  /** The agent that wrote it; undefined for a person. */
  readonly fromAgent: string | undefined
  /** The message answers this agent's question. */
  readonly isAnswer: boolean
  readonly handoffId: string | null
}

/**
 * Joins messages to a prompt. Names are added where several people write in the conversation;
 * messages of agents are always marked, and nobody's further lines can begin as another's do
 * (CX17). A command of the agent's own stays as it is.
 */
export function promptOfMessages(messages: readonly PromptMessage[], several: boolean): string {
  const [only, ...others] = messages
  if (only && others.length === 0 && only.fromAgent === undefined && only.content.startsWith('/'))
    return withHandoff(only, only.content)
  return messages.map((message) => messageText(message, several)).join('\n\n')
}

function messageText(message: PromptMessage, several: boolean): string {
  const { content, sender, fromAgent, isAnswer } = message
  const text = several || fromAgent !== undefined ? indented(content) : content
  if (fromAgent === undefined) return withHandoff(message, several ? `${sender}: ${text}` : text)
  return withHandoff(
    message,
    `The agent ${fromAgent} ${isAnswer ? 'answers you' : 'writes to you'}:\n\n${text}`,
  )
}

const withHandoff = ({ handoffId }: PromptMessage, text: string): string =>
  handoffId === null ? text : `${text}\n\n(This belongs to the handoff ${handoffId}.)`

const summaryRequest =
  'This conversation has grown long. Answer with a summary that can stand for all of it, and with nothing else: what was asked, decided ' +
  `and done, what is open, and every name, number and path that will be needed, in at most ${maxSummaryChars} characters.`

export const promptOfSummary = (earlier: string | null): string =>
  summaryRequest +
  (earlier === null ? '' : `\n\nThe earlier summary, which yours takes the place of:\n\n${earlier}`)

export const asksForSummary = (prompt: string): boolean => prompt.startsWith(summaryRequest)

const noSummary = 'There is no summary of what was said then.'

/** Shortens a summary that is too long. Without an answer, the earlier summary is kept. */
export function summaryFrom(answer: string, earlier: string): string {
  if (answer !== '') return shortened(answer, maxSummaryChars)
  if (earlier === '' || earlier.endsWith(noSummary)) return earlier || noSummary
  return `${earlier}\n\n${noSummary}`
}

/** For a task whose turn ended without an answer. */
export function promptToContinue(stopReason: string | null): string {
  if (stopReason === denied)
    return 'What you asked for in your last turn was denied. Go on with the task without it, or answer with what keeps you from it.'
  return stopReason === 'empty' || stopReason === probablyError
    ? 'Your last turn ended without an answer. Go on with the task, and answer with the result when it is done.'
    : 'Your last turn was cut off before it was done. Go on where you stopped, and answer with the result when it is done.'
}

interface Task {
  readonly id: string
  readonly title: string
  readonly description: string | null
}

/** How the prompt of a task begins. */
export const taskHead = (id: string): string => `Task ${id}: `

/** `resume`: what is known about work begun before. */
export function promptOfTask({ id, title, description }: Task, resume: string | null): string {
  const parts = [`${taskHead(id)}${title}`]
  if (description !== null) parts.push(description)
  if (resume !== null) parts.push(resume)
  parts.push('Do it, and answer with the result when it is done.')
  return parts.join('\n\n')
}

/**
 * Builds the text a context gets before its first prompt (CX2): participants, decisions, summary
 * and the last messages. A restored context gets only what is new. Limited by a budget of estimated
 * tokens; participants and decisions are always included. Pure.
 */
export interface PrimerMessage {
  readonly sender: string
  readonly at: string
  readonly content: string
}

interface WrittenSummary {
  readonly text: string
  /** null: the agent itself. */
  readonly by: string | null
}

export interface PrimerFacts {
  readonly conversationKey: string
  /** `web`, `telegram`, `console`, `work`, `agent` … */
  readonly channel: string
  readonly projectName: string
  readonly people: readonly string[]
  /** What people put in for others (CV14): by whom, and under which names. */
  readonly putIn: { readonly by: readonly string[]; readonly names: readonly string[] }
  readonly decisions: readonly AgentDecision[]
  readonly summary: WrittenSummary | null
  /** The previous day, after a cutover; its summary is null where nobody made one. */
  readonly closedDay: { readonly day: string; readonly summary: WrittenSummary | null } | null
  /** Newest first, without those in the prompt. */
  readonly messages: readonly PrimerMessage[]
  /** The prompt is sent again, because a process ended while working on it. */
  readonly isRetry: boolean
  /** SN21: the agent that had the session before, and what is left of the last plan. */
  readonly continued: {
    readonly before: string
    readonly plan: readonly { readonly content: string; readonly status: string }[]
  } | null
  /** SB13: why the turn before was ended by its sandbox. */
  readonly endedFor: string | null
}

/** SN21: what an agent reads of a session that it takes over. */
export const continueBudgetTokens = 40_000

/** A text, and how many of the messages it tells. */
export interface PrimingText<Text = string> {
  readonly text: Text
  readonly messages: number
  readonly leftOut: number
}

const shareOfSummary = 1 / 4
const shareOfClosedDay = 1 / 10
const shareOfMessage = 1 / 8

/** Begins a primer or news, so that agents can tell them from a person's text. */
export const primerMark = '[Holdfast]'

/** A command of the agent's own is one only if it is the whole prompt (CX19). */
export const isSlashCommand = (
  parts: readonly { readonly type: string; readonly text?: string }[],
): boolean => parts.length === 1 && /^\/[\p{L}\d][\p{L}\d:_.-]*(?:\s|$)/u.test(parts[0]?.text ?? '')

const retryWarning =
  'This was given to a process that ended before it answered; parts of it may be done. Look before you do them again.'

export function primerOf(facts: PrimerFacts, budgetTokens: number): PrimingText {
  const head = [introduction(facts), ...handover(facts), decisionsPrompt(facts.decisions)].filter(
    Boolean,
  )
  const middle = [
    ...(facts.summary
      ? [titled('Summary of what was said before', facts.summary, budgetTokens * shareOfSummary)]
      : []),
    ...(facts.closedDay ? [aboutClosedDay(facts.closedDay, budgetTokens)] : []),
  ]
  const left =
    budgetTokens - [...head, ...middle].reduce((sum, each) => sum + estimateTokens(each), 0)
  const { lines, more } = newest(facts.messages, left, mostOfMessage(facts, budgetTokens))
  const isWhole = facts.continued !== null && !more && middle.length === 0
  const title = isWhole ? 'What was said' : 'What was said last'
  const text = lines.length === 0 ? [] : [[`${title}, oldest first:`, ...lines].join('\n')]
  const hint =
    more || facts.summary || facts.closedDay?.summary
      ? ['More can be read with the tool get_history.']
      : []
  return {
    text: [...head, ...middle, ...text, ...hint, ...retry(facts)].join('\n\n'),
    messages: lines.length,
    leftOut: facts.messages.length - lines.length,
  }
}

/** Who goes on for another is told each message whole. */
const mostOfMessage = ({ continued }: PrimerFacts, budgetTokens: number): number =>
  continued === null ? budgetTokens * shareOfMessage : budgetTokens

function handover({ continued }: PrimerFacts): string[] {
  if (continued === null) return []
  return [
    `${continued.before} worked in this conversation before. You go on for it, in the same ` +
      'folder: what was done is in the files there.',
    ...planLeft(continued),
  ]
}

function planLeft({ plan }: NonNullable<PrimerFacts['continued']>): string[] {
  const lines = plan.map(({ content, status }) => `- [${status}] ${indented(content)}`)
  return lines.length === 0 ? [] : [['The last plan:', ...lines].join('\n')]
}

function aboutClosedDay(
  { day, summary }: NonNullable<PrimerFacts['closedDay']>,
  budgetTokens: number,
): string {
  if (summary === null)
    return `What was said on ${day} is closed and not given here; read it with the tool get_history (day: "${day}").`
  return titled(`Summary of ${day}`, summary, budgetTokens * shareOfClosedDay)
}

/** The news for a restored context; null when there is none. */
export function newsOf(facts: PrimerFacts, budgetTokens: number): PrimingText<string | null> {
  const { continued } = facts
  const by =
    continued === null
      ? []
      : [
          `${continued.before} went on in this conversation meanwhile, in the same folder. ` +
            'Now you go on.',
          ...planLeft(continued),
        ]
  const most = mostOfMessage(facts, budgetTokens)
  const all = newest(facts.messages, budgetTokens, most)
  const summary =
    continued !== null && all.more && facts.summary
      ? [titled('Summary of what was said before', facts.summary, budgetTokens * shareOfSummary)]
      : []
  const left = budgetTokens - summary.reduce((sum, each) => sum + estimateTokens(each), 0)
  const { lines } = summary.length === 0 ? all : newest(facts.messages, left, most)
  const text =
    lines.length === 0
      ? []
      : [['Said since you were here last, oldest first:', ...lines].join('\n')]
  const parts = [
    ...by,
    decisionsPrompt(facts.decisions),
    ...summary,
    ...text,
    ...retry(facts),
  ].filter(Boolean)
  return {
    text: parts.length === 0 ? null : `${primerMark} ${parts.join('\n\n')}`,
    messages: lines.length,
    leftOut: facts.messages.length - lines.length,
  }
}

function introduction({
  conversationKey,
  channel,
  projectName,
  people,
  putIn,
}: PrimerFacts): string {
  const where = `${primerMark} This is the conversation ${conversationKey} (${channel}) in the project ${projectName}.`
  const who = people.length === 0 ? '' : ` In it: ${people.join(', ')}.`
  const from =
    putIn.by.length === 0
      ? ''
      : ` What ${putIn.names.join(', ')} said was put in by ${putIn.by.join(', ')}.`
  return where + who + from
}

const retry = ({ isRetry, endedFor }: PrimerFacts): string[] => [
  ...(endedFor === null
    ? []
    : [
        `Your last turn was cut off. ${endedFor} Do it in a way that uses less, or say that it needs more.`,
      ]),
  ...(isRetry ? [retryWarning] : []),
]

const titled = (title: string, { text, by }: WrittenSummary, tokens: number): string =>
  `${title}${by === null ? '' : `, written by ${by}`}:\n  ${indented(cutToTokens(text, Math.floor(tokens)))}`

/** Room for who said something, and when. */
const headTokens = 40

function newest(
  messages: readonly PrimerMessage[],
  budget: number,
  perMessage: number,
): { lines: string[]; more: boolean } {
  const lines: string[] = []
  let left = budget
  for (const { sender, at, content } of messages) {
    // The newest is told in any case, as much of it as fits.
    const most = lines.length === 0 ? Math.min(perMessage, left - headTokens) : perMessage
    const line = `[${at}] ${sender}: ${indented(cutToTokens(content, Math.floor(most)))}`
    left -= estimateTokens(line)
    if (left < 0) return { lines: lines.reverse(), more: true }
    lines.push(line)
  }
  return { lines: lines.reverse(), more: false }
}

/**
 * The resume context as text, for ACP agents, which have no tool to read it with (RS2). What was
 * completed and came of it, the primer tells them as what was said (CX20). Pure.
 */
export function resumePrompt(context: ResumeContext): string {
  const { previousState, currentPhase, currentTask, leftOut } = context
  const parts = [
    'This work was begun before and interrupted. Take it up where it stopped; what was done is in this folder.',
    previousState && `How it stood: ${previousState}`,
    currentPhase !== null && `Phase: ${currentPhase}`,
    currentTask && `It was at: ${taskLine(currentTask)}`,
    decisionsPrompt(context.decisions),
    list(
      'Failed before. Do not try again what is marked avoid:',
      context.failedApproaches.map(failedLine),
      leftOut.failedApproaches,
    ),
    list(
      'Known to work:',
      context.verifiedApproaches.map(approachLine),
      leftOut.verifiedApproaches,
    ),
    list('To be tried next:', context.nextApproaches.map(approachLine), leftOut.nextApproaches),
    list('Left to do:', context.remainingTasks.map(taskLine), leftOut.remainingTasks),
  ]
  return parts.filter(Boolean).join('\n\n')
}

const list = (title: string, lines: readonly string[], more: boolean): string =>
  lines.length === 0
    ? ''
    : [title, ...lines.map((line) => `- ${line}`), ...(more ? ['- … and more'] : [])].join('\n')

const taskLine = ({ taskId, name, status, progressPercent, blockedBy }: RememberedTask): string => {
  const progress = status === 'in_progress' ? `${progressPercent} % done` : status
  const state = blockedBy ? `${status} by ${blockedBy}` : progress
  return `${taskId}: ${name} (${state})`
}

const approachLine = ({ id, description = '', learnings = [] }: GivenApproach): string =>
  [`${id}: ${description}`.trim(), ...learnings].join(' · ')

const failedLine = (approach: GivenApproach): string => {
  const { failureReason, error, avoid } = approach
  return [approachLine(approach), failureReason, error, avoid && 'avoid']
    .filter(Boolean)
    .join(' · ')
}
