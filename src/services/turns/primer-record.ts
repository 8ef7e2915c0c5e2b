/**
 * Builds what a context is told before its first prompt, and what is news to one that was brought
 * back (CX2, CX14). In a session that several agents had one after another the whole is told
 * (SN21).
 */
import { systemId } from '../../domain/access/caller.ts'
import { isWork } from '../../domain/conversations/key.ts'
import { textOfMessage } from '../../domain/conversations/senders.ts'
import { type Instant, later } from '../../domain/instant.ts'
import {
  continueBudgetTokens,
  isSlashCommand,
  newsOf,
  type PrimerFacts,
  type PrimerMessage,
  primerOf,
  taskHead,
} from '../../domain/turns/prompts.ts'
import type { Plan } from '../../protocol/threads/turn-items.ts'
import { selectLastChapter } from '../../store/conversations/chapters.ts'
import {
  channelOfConversation,
  identityOf,
} from '../../store/conversations/conversation-identity.ts'
import { agentsInTurn, type ConversationRow } from '../../store/conversations/conversations.ts'
import { historyBefore, selectPeopleIn, textParts } from '../../store/conversations/messages.ts'
import { selectUnreadIn } from '../../store/conversations/unread.ts'
import type { Reader } from '../../store/store.ts'
import type { ContextRow } from '../../store/turns/contexts.ts'
import { selectPlans } from '../../store/turns/turn-items.ts'
import {
  isOfRole,
  selectLastEnded,
  selectOpenTurns,
  type TurnRow,
} from '../../store/turns/turns.ts'
import { decisionsIn } from '../approvals/decisions-for-agents.ts'
import { sendersOf } from '../conversations/message-senders.ts'
import { settingsOf } from '../projects/project-record.ts'

/** SB13: what a sandbox ends a turn for. */
const sandboxLimits = ['sandboxProcesses', 'sandboxMemory', 'sandboxWorkplace']
/** Messages considered for a primer. More than its token budget holds. */
const maxPrimerMessages = 200
const maxContinuedMessages = 2000
/** A day closed longer ago than this is left out of the primer. */
const maxClosedDayAgeMs = 36 * 3600_000

export interface PrimerInput {
  readonly turn: Pick<TurnRow, 'task_id' | 'retry_of'>
  /** Sequence numbers of the messages that make up the prompt. */
  readonly promptSeqs: ReadonlySet<number>
  /** The conversation as it would be; left out: as it is. */
  readonly as?: ConversationRow
}

interface PrimerTexts {
  /** For a new context. `news` is for one that was restored. */
  readonly primer: string
  readonly news: string | null
  /**
   * For an open context: decisions made since the last turn, or the retry notice. Null when there
   * is neither.
   */
  readonly decided: string | null
  /** The newest message of the conversation that the context knows afterwards. */
  readonly givenThrough: number
}

export async function buildPrimer(
  reader: Reader,
  row: ContextRow,
  priming: PrimerInput,
  now: Instant,
): Promise<PrimerTexts> {
  const { primer, news, decided, givenThrough } = await tellable(reader, row, priming, now)
  return { primer: primer.text ?? '', news: news.text, decided: decided.text, givenThrough }
}

/** The same texts, with how much of the conversation they tell. */
export async function tellable(
  reader: Reader,
  row: ContextRow,
  priming: PrimerInput,
  now: Instant,
) {
  const settings = await settingsOf(reader, row.project_id)
  const { facts, newest } = await primerFacts(reader, row, priming, now)
  const budget =
    facts.continued === null ? Number(settings['resume.budget_tokens']) : continueBudgetTokens
  // The agent knows its own messages.
  const since = facts.messages.filter(
    ({ seq, senderId }) => seq > row.told_through && senderId !== row.agent_id,
  )
  const isPassedOn = since.some(({ senderId }) => facts.otherAgents.includes(senderId))
  const continued = isPassedOn ? facts.continued : null
  return {
    primer: primerOf(facts, budget),
    news: newsOf({ ...facts, continued, messages: since }, budget),
    // In a process that held it all the while, what another agent did is news, too.
    decided: newsOf({ ...facts, continued, messages: isPassedOn ? since : [] }, budget),
    givenThrough: Math.max(row.told_through, newest, ...priming.promptSeqs),
  }
}

/** Before a slash command, which is sent alone (CX19). */
export const unprimed = (row: ContextRow) => ({
  primer: null,
  news: null,
  decided: null,
  givenThrough: row.told_through,
})

type Facts = Omit<PrimerFacts, 'messages'> & {
  readonly otherAgents: readonly string[]
  readonly messages: readonly (PrimerMessage & {
    readonly seq: number
    readonly senderId: string
  })[]
}

async function primerFacts(
  reader: Reader,
  row: ContextRow,
  { turn, promptSeqs, as }: PrimerInput,
  now: Instant,
): Promise<{ facts: Facts; newest: number }> {
  const { conversation_key: key, origin_key: originKey } = row
  const conversation = as ?? (await reader.row('conversations', { key }))
  const { kind } = conversation ?? (await identityOf(reader, key))
  const keptAfter = conversation?.kept_after ?? 0
  const passed =
    originKey === '' && conversation ? await passedOn(reader, conversation, row.agent_id) : null
  const limit = passed ? maxContinuedMessages : maxPrimerMessages
  const all = await historyBefore(reader, { key, keptAfter, originKey, limit })
  const senders = await sendersOf(reader, all)
  const names = senders.nameOf
  const putIn = all.filter(senders.isPutIn)
  // Undelivered messages come later as prompts.
  const waiting = await reader.all(selectUnreadIn, {
    agentId: row.agent_id,
    projectId: row.project_id,
    key,
    limit,
  })
  const isPrompt = new Set([...promptSeqs, ...waiting.map(({ seq }) => seq)])
  const given = all.filter(({ seq }) => !isPrompt.has(seq))
  const rows = given.filter((each) => !isInPrompt(each, turn))
  const closed = conversation?.chapter_after
    ? await reader.first(selectLastChapter, { key })
    : undefined
  const facts: Facts = {
    conversationKey: key,
    channel: channelOfConversation({ key }),
    projectName: (await reader.row('projects', { id: row.project_id }))?.name ?? row.project_id,
    people: [
      ...new Set(all.filter((each) => each.role === 'user' && !senders.isPutIn(each)).map(names)),
    ],
    putIn: {
      by: [...new Set(putIn.map(({ sender_id }) => names({ sender_id, sender_name: null })))],
      names: [...new Set(putIn.map(names))],
    },
    decisions: isWork(kind)
      ? []
      : await decisionsIn(reader, { key, agentId: row.agent_id }, row.decisions_told_at),
    summary:
      originKey === '' && conversation?.summary
        ? { text: conversation.summary, by: await authorOf(reader, conversation.summary_by) }
        : null,
    closedDay:
      closed && later(closed.closed_at, maxClosedDayAgeMs) > now
        ? {
            day: closed.day,
            summary: closed.summary
              ? { text: closed.summary, by: await authorOf(reader, closed.summary_by) }
              : null,
          }
        : null,
    messages: rows.map((each) => ({
      seq: each.seq,
      senderId: each.sender_id,
      sender: names(each),
      at: each.createdAt,
      content: isTaskPrompt(each) ? firstLine(each.content) : textOfMessage(textParts(each)),
    })),
    isRetry:
      turn.retry_of !== null &&
      (await reader.row('turns', { id: turn.retry_of }))?.state === 'unknown',
    endedFor: await cutOffFor(reader, row),
    continued: passed?.continued ?? null,
    otherAgents: passed?.others ?? [],
  }
  return { facts, newest: Math.max(0, ...given.map(({ seq }) => seq)) }
}

/** SN21: who had the session before, and what was planned; null where there was nobody else. */
async function passedOn(
  reader: Reader,
  row: ConversationRow,
  agentId: string,
): Promise<{ continued: PrimerFacts['continued']; others: string[] } | null> {
  const others = agentsInTurn(row)
    .map((each) => each.agentId)
    .filter((id) => id !== agentId)
  const before = others.at(-1)
  if (before === undefined) return null
  const name = (await reader.row('agents', { id: before }))?.name ?? before
  return { continued: { before: name, plan: await lastPlan(reader, row.key) }, others }
}

/** What is left of the newest plan of an agent, not of its sub-agents. */
async function lastPlan(reader: Reader, key: string): Promise<Plan> {
  for (const { body } of await reader.all(selectPlans, { key })) {
    const { entries, strand }: { entries: Plan; strand?: string } = JSON.parse(body)
    if (strand === undefined)
      return entries.some((each) => each.status !== 'completed') ? entries : []
  }
  return []
}

/** SB13: why its sandbox has ended the last turn of the context. */
export async function cutOffFor(reader: Reader, { id }: ContextRow): Promise<string | null> {
  const last = await reader.first(selectLastEnded, { contextId: id })
  return sandboxLimits.some((code) => last?.notice?.includes(`"${code}"`))
    ? (last?.error ?? null)
    : null
}

interface Prompted {
  readonly role: string
  readonly sender_id: string
  readonly content: string
}

/** Whether a message is the prompt of a task, which Holdfast wrote. */
const isTaskPrompt = ({ role, sender_id }: Prompted): boolean =>
  role === 'system' && sender_id === systemId

/**
 * CX20: what the prompt says itself, as its own message or that of an earlier turn at the same
 * task.
 */
const isInPrompt = (message: Prompted, { task_id: taskId }: Pick<TurnRow, 'task_id'>): boolean =>
  taskId !== null && isTaskPrompt(message) && message.content.startsWith(taskHead(taskId))

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

/** Who wrote a summary, by name; null: the agent of the conversation. */
const authorOf = async (reader: Reader, id: string | null): Promise<string | null> =>
  id === null ? null : ((await reader.row('people', { id }))?.name ?? id)

/** Messages looked at to know whether several people write in a conversation. */
const maxLookedAt = 1000

/**
 * Whether several people write where agents are told of it (CV14): then each prompt names who wrote
 * it.
 */
export async function severalPeople(reader: Reader, key: string): Promise<boolean> {
  const keptAfter = (await reader.row('conversations', { key }))?.kept_after ?? 0
  const rows = await reader.all(selectPeopleIn, { key, keptAfter, limit: maxLookedAt })
  if (rows.length < 2) return false
  const { isPutIn } = await sendersOf(reader, rows)
  return new Set(rows.filter((row) => !isPutIn(row)).map(({ sender_id }) => sender_id)).size > 1
}

/**
 * Builds the primer of a turn. In a role every message went through the agent, so its news holds
 * decisions only.
 */
export async function primerForTurn(
  reader: Reader,
  row: ContextRow,
  turn: TurnRow,
  now: Instant,
): Promise<TurnPriming> {
  if (isSlashCommand(JSON.parse(turn.content))) return { primer: null, news: null }
  const promptSeqs = await waitingPrompts(reader, turn)
  const { primer, news, decided } = await buildPrimer(reader, row, { turn, promptSeqs }, now)
  return { primer, news: isOfRole(turn) ? decided : news }
}

interface TurnPriming {
  /** null before a slash command, which is sent alone (CX19). */
  readonly primer: string | null
  readonly news: string | null
}

/** Prompts not sent yet are left out of the primer. */
async function waitingPrompts(reader: Reader, turn: TurnRow): Promise<ReadonlySet<number>> {
  const open =
    turn.role_agent_id === null
      ? []
      : await reader.all(selectOpenTurns, { roleAgentId: turn.role_agent_id })
  return new Set(
    [turn, ...open].flatMap(({ about, through_seq: seq }) =>
      about === 'prompt' && seq !== null ? [seq] : [],
    ),
  )
}
