/**
 * Reads and writes contexts (CX1, CX2) and builds their primers. A context whose conversation moved
 * to another generation is ended when the next turn needs it.
 */
import { systemId } from '../../domain/access/caller.ts'
import { consoleKey, isWork } from '../../domain/conversations/key.ts'
import { textOfMessage } from '../../domain/conversations/senders.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { conversationStream, userSessionStream } from '../../domain/stream-name.ts'
import type { ContextEndReason, HeldContext } from '../../domain/turns/lifecycle.ts'
import {
  isSlashCommand,
  newsOf,
  type PrimerFacts,
  type PrimerMessage,
  primerOf,
  taskHead,
} from '../../domain/turns/prompts.ts'
import type { TurnOrder } from '../../protocol/turns/link.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { selectLastChapter } from '../../store/conversations/chapters.ts'
import {
  channelOfConversation,
  identityOf,
} from '../../store/conversations/conversation-identity.ts'
import { historyBefore, selectPeopleIn, textParts } from '../../store/conversations/messages.ts'
import { selectUnreadIn } from '../../store/conversations/unread.ts'
import { newRow } from '../../store/rows.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  type ContextRow,
  noLimit,
  selectContextOf,
  selectLeft,
} from '../../store/turns/contexts.ts'
import {
  isOfRole,
  selectLastEnded,
  selectOpenTurns,
  type TurnRow,
} from '../../store/turns/turns.ts'
import { decisionsIn } from '../approvals/decisions-for-agents.ts'
import { sendersOf } from '../conversations/message-senders.ts'
import { settingsOf } from '../projects/project-record.ts'
import { addContext, changeContext, endContext } from './move-context.ts'

/** SB13: what a sandbox ends a turn for. */
const sandboxLimits = ['sandboxProcesses', 'sandboxMemory', 'sandboxWorkplace']
/** Messages considered for a primer. More than any token budget holds. */
const maxPrimerMessages = 200
/** A day closed longer ago than this is left out of the primer. */
const maxClosedDayAgeMs = 36 * 3600_000

export interface ContextKey {
  readonly agentId: string
  readonly projectId: string
  readonly key: string
  readonly originKey: string
}

export const roleContextKey = (agent: RoleAgentRow): ContextKey => ({
  agentId: agent.agent_id,
  projectId: agent.project_id,
  key: consoleKey(agent.user_session_id, agent.role),
  originKey: '',
})

/** A context is decided under the lock of its conversation; in a role, of its user session. */
export async function lockContext(tx: Tx, key: string): Promise<void> {
  const { userSessionId } = await identityOf(tx, key)
  tx.lock(userSessionId === null ? conversationStream(key) : userSessionStream(userSessionId))
}

/**
 * Returns the agent's context in a conversation. Creates one if there is none, if its generation is
 * over, or if `ended` gives a reason to replace it. The vendor's limit carries over to the new
 * context.
 */
export async function getOrCreateContext(
  tx: Tx,
  which: ContextKey,
  { now, random }: Context,
  ended?: ContextEndReason,
): Promise<ContextRow> {
  await lockContext(tx, which.key)
  const found = await tx.first(selectContextOf, which)
  const generation = (await tx.row('conversations', { key: which.key }))?.generation ?? 0
  const isOver = found?.generation === generation ? ended : 'generation'
  if (found && !isOver) return found
  if (found && isOver) await endContext(tx, found, isOver, now)
  const { limited_until, limited_turn_id, goes_on_by, goes_on_left } = found ?? noLimit
  const row = newRow('contexts', {
    id: random.uuid(),
    agent_id: which.agentId,
    project_id: which.projectId,
    conversation_key: which.key,
    origin_key: which.originKey,
    generation,
    created_at: now,
    limited_until,
    limited_turn_id,
    goes_on_by,
    goes_on_left,
    offers: found?.offers ?? null,
  })
  await addContext(tx, row)
  return row
}

/** How to open a context: by its own ACP session, else as a fork of another (AC12), else new. */
export const acpSessionToOpen = ({ acp_session_id, fork_of, opened_at }: ContextRow) => ({
  acpSessionId: acp_session_id ?? fork_of,
  lastOpenedAt: opened_at,
  ...(acp_session_id === null && fork_of !== null && { forks: true }),
})

/** ACP sessions of an agent that are let go with one turn. */
const maxLeft = 20

/**
 * AC12: the ACP sessions of contexts that have ended: closed where they are open, deleted with
 * their conversation. Named once.
 */
export async function leaveSessions(tx: Tx, agentId: string): Promise<Pick<TurnOrder, 'leave'>> {
  const left = await tx.all(selectLeft, { agentId, limit: maxLeft })
  for (const row of left) await changeContext(tx, row, { acp_session_id: null })
  const leave = left.map(({ acp_session_id, end_reason }) => ({
    acpSessionId: acp_session_id ?? '',
    isDeleted: end_reason === 'deleted',
  }))
  return left.length === 0 ? {} : { leave }
}

/**
 * Facts about a context for choosing the next dispatch. `isOver`: the conversation has moved to
 * another generation.
 */
export async function contextFacts(reader: Reader, row: ContextRow): Promise<HeldContext> {
  const generation =
    (await reader.row('conversations', { key: row.conversation_key }))?.generation ?? 0
  return {
    conversationKey: row.conversation_key,
    originKey: row.origin_key,
    isOpen: row.state === 'open',
    hasRunningTurn: false,
    isOver: row.state === 'ended' || row.generation !== generation,
  }
}

interface PrimerInput {
  readonly turn: TurnRow
  /** Sequence numbers of the messages that make up the prompt. */
  readonly promptSeqs: ReadonlySet<number>
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
  const settings = await settingsOf(reader, row.project_id)
  const budget = Number(settings['resume.budget_tokens'])
  const { facts, newest } = await primerFacts(reader, row, priming, now)
  // The agent knows its own messages.
  const since = facts.messages.filter(
    ({ seq, senderId }) => seq > row.told_through && senderId !== row.agent_id,
  )
  return {
    primer: primerOf(facts, budget),
    news: newsOf({ ...facts, messages: since }, budget),
    decided: newsOf({ ...facts, messages: [] }, budget),
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
  readonly messages: readonly (PrimerMessage & {
    readonly seq: number
    readonly senderId: string
  })[]
}

async function primerFacts(
  reader: Reader,
  row: ContextRow,
  { turn, promptSeqs }: PrimerInput,
  now: Instant,
): Promise<{ facts: Facts; newest: number }> {
  const { conversation_key: key, origin_key: originKey } = row
  const conversation = await reader.row('conversations', { key })
  const { kind } = conversation ?? (await identityOf(reader, key))
  const keptAfter = conversation?.kept_after ?? 0
  const all = await historyBefore(reader, { key, keptAfter, originKey, limit: maxPrimerMessages })
  const senders = await sendersOf(reader, all)
  const names = senders.nameOf
  const putIn = all.filter(senders.isPutIn)
  // Undelivered messages come later as prompts.
  const waiting = await reader.all(selectUnreadIn, {
    agentId: row.agent_id,
    projectId: row.project_id,
    key,
    limit: maxPrimerMessages,
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
  }
  return { facts, newest: Math.max(0, ...given.map(({ seq }) => seq)) }
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
const isInPrompt = (message: Prompted, { task_id: taskId }: TurnRow): boolean =>
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
