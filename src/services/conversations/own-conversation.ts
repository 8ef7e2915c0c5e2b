/** The conversation that an agent is in, and what it may read there. */

import type { Owner } from '../../domain/access/visibility.ts'
import { parseDay } from '../../domain/conversations/chapter.ts'
import { workKey } from '../../domain/conversations/key.ts'
import { textOfMessage } from '../../domain/conversations/senders.ts'
import type { Flags } from '../../protocol/conversations/conversation.ts'
import { selectChapter } from '../../store/conversations/chapters.ts'
import { chatOfPost } from '../../store/conversations/conversation-identity.ts'
import { afterAllMessages, messagesWithin, textParts } from '../../store/conversations/messages.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { type ContextRow, selectContextsOfLaunch } from '../../store/turns/contexts.ts'
import { selectRunningOfSession } from '../../store/turns/turns.ts'
import { lineageOf } from '../../store/work/work-sessions.ts'
import { ownerOf, ownerOfLaunch } from '../access/owners.ts'
import { existingConversation } from './conversation-record.ts'
import { sendersOf } from './message-senders.ts'
import { searchMessages } from './search-messages.ts'

/**
 * Finds the conversation of an agent's tool call: of its context, running turn, or session. It
 * reads no other (SE3).
 */
export interface ContextCaller extends AgentCaller {
  /** The context of the caller, for an ACP agent with several. */
  readonly contextId?: string | undefined
}

export interface OwnConversation {
  readonly key: string
  /** Between agents: the conversation of the asking context. */
  readonly originKey: string
}

export const findOwnConversation = defineQuery('find-own-conversation', {
  scope: 'agent',
  on: 'caller',
  run: (reader, caller: ContextCaller) => ownConversation(reader, caller),
})

export async function ownConversation(
  reader: Reader,
  { contextId, ...caller }: ContextCaller,
): Promise<OwnConversation> {
  const { agentId, projectId, agentSessionId } = caller
  const isOwn = (row: ContextRow | undefined): row is ContextRow =>
    row?.agent_id === agentId && row.project_id === projectId
  const agentSession = await reader.row('agent_sessions', { id: agentSessionId })
  // An agent in a role passes its launch id as agent session id.
  const launchId = agentSession ? agentSession.launch_id : agentSessionId
  const named =
    contextId === undefined ? undefined : await reader.row('contexts', { id: contextId })
  if (isOwn(named) && named.launch_id === launchId) return conversationOf(named)
  const [turn, ...others] = await reader.all(selectRunningOfSession, { agentSessionId })
  if (turn && others.length === 0) return { key: turn.conversation_key, originKey: turn.origin_key }
  const bound = agentSession?.context_id
    ? await reader.row('contexts', { id: agentSession.context_id })
    : undefined
  if (isOwn(bound)) return conversationOf(bound)
  const [held, ...more] =
    launchId === null ? [] : await reader.all(selectContextsOfLaunch, { launchId })
  if (isOwn(held) && more.length === 0) return conversationOf(held)
  const lane = agentSession?.lane ?? ''
  return { key: await chatOfPost(reader, { agentId, projectId, lane }), originKey: '' }
}

/**
 * The key of a work conversation. A plan's tasks and resumed work share one, named by the lineage's
 * first work session.
 */
export async function workKeyOf(
  reader: Reader,
  workSessionId: string | null,
  agentId: string,
): Promise<string | undefined> {
  const row =
    workSessionId === null ? undefined : await reader.row('sessions', { id: workSessionId })
  return row && workKey((await lineageOf(reader, row)).at(-1) ?? row.id, agentId)
}

/**
 * SE28: the person whose console or fork of one a tool is called from; null: what it works on is
 * shared.
 */
export async function personOfCaller(reader: Reader, caller: ContextCaller): Promise<Owner> {
  const agentSession = await reader.row('agent_sessions', { id: caller.agentSessionId })
  const launchId = agentSession ? agentSession.launch_id : caller.agentSessionId
  const launch = launchId === null ? undefined : await findLaunch(reader, launchId)
  if (launch && launch.roleAgentId !== null) return ownerOfLaunch(reader, launch)
  return ownerOf(reader, { of: 'conversation', key: (await ownConversation(reader, caller)).key })
}

const conversationOf = (row: ContextRow): OwnConversation => ({
  key: row.conversation_key,
  originKey: row.origin_key,
})

/** The flags of the conversation of a call. */
export const readOwnFlags = defineQuery('read-own-flags', {
  scope: 'agent',
  on: 'caller',
  run: async (reader, caller: ContextCaller): Promise<{ key: string; flags: Flags }> => {
    const { key } = await ownConversation(reader, caller)
    return { key, flags: JSON.parse((await existingConversation(reader, key)).flags) }
  },
})

interface HistoryQuery extends ContextCaller {
  readonly before?: number | undefined
  readonly day?: string | undefined
  readonly q?: string | undefined
  readonly limit: number
}

/**
 * Returns history to an agent from the conversation of its call (CX3, `get_history`): earlier
 * messages, one day, or search hits. Between agents only what the same context asked.
 */
export interface OwnHistory {
  readonly key: string
  readonly messages: readonly {
    seq: number
    sender: string
    role: string
    content: string
    createdAt: string
  }[]
  /** Where the next older page ends. Null if there is none. */
  readonly before: number | null
}

export const readOwnHistory = defineQuery('read-own-history', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { before = afterAllMessages, day, q, limit, ...caller }: HistoryQuery,
    context,
  ): Promise<OwnHistory> => {
    const { key, originKey } = await ownConversation(reader, caller)
    const of = day === undefined ? undefined : parseDay(day)
    const chapter =
      of === undefined ? undefined : await reader.first(selectChapter, { key, day: of })
    const open = await reader.row('conversations', { key })
    const isOpenDay = of !== undefined && open?.chapter_day === of
    const afterOfOpen = isOpenDay ? open.chapter_after : 0
    const after = chapter ? chapter.after_seq : afterOfOpen
    const through = chapter && !isOpenDay ? chapter.through_seq : afterAllMessages
    const none = day !== undefined && !chapter && !isOpenDay
    const hits =
      q === undefined
        ? undefined
        : await searchMessages.run(reader, { q, conversation: key, limit, viewer: null }, context)
    const part = hits
      ? { seqs: hits.items.map(({ seq }) => seq) }
      : { after, before: Math.min(before, through + 1), limit }
    const rows = none ? [] : await messagesWithin(reader, { key, originKey, ...part })
    const { nameOf } = await sendersOf(reader, rows)
    const oldest = Math.min(...rows.map(({ seq }) => seq))
    return {
      key,
      messages: rows.map((row) => ({
        seq: row.seq,
        sender: nameOf(row),
        role: row.role,
        content: textOfMessage(textParts(row)),
        createdAt: row.createdAt,
      })),
      before: hits === undefined && rows.length === limit ? oldest : null,
    }
  },
})
