/**
 * Finds the conversation that an agent's tool call belongs to: that of its context, of its running turn, or of its session. An
 * agent reads and changes no other (SE3).
 */
import { webKey } from '../../domain/conversations/key.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { type ContextRow, selectContextsOfLaunch } from '../../store/turns/contexts.ts'
import { selectRunningOfSession } from '../../store/turns/turns.ts'

export interface ContextCaller extends AgentCaller {
  /** The context of the caller, for an ACP agent with several. */
  readonly contextId?: string | undefined
}

export interface OwnConversation {
  readonly key: string
  /** Between agents: the conversation of the asking context. */
  readonly originKey: string
}

export const findOwnConversation = defineQuery((reader, caller: ContextCaller) => ownConversation(reader, caller))

export async function ownConversation(reader: Reader, { contextId, ...caller }: ContextCaller): Promise<OwnConversation> {
  const { agentId, projectId, agentSessionId } = caller
  const isOwn = (row: ContextRow | undefined): row is ContextRow => row?.agent_id === agentId && row.project_id === projectId
  const agentSession = await reader.row('agent_sessions', { id: agentSessionId })
  // An agent in a role passes its launch id as agent session id.
  const launchId = agentSession ? agentSession.launch_id : agentSessionId
  const named = contextId === undefined ? undefined : await reader.row('contexts', { id: contextId })
  if (isOwn(named) && named.launch_id === launchId) return conversationOf(named)
  const [turn, ...others] = await reader.all(selectRunningOfSession, { agentSessionId })
  if (turn && others.length === 0) return { key: turn.conversation_key, originKey: turn.origin_key }
  const bound = agentSession?.context_id ? await reader.row('contexts', { id: agentSession.context_id }) : undefined
  if (isOwn(bound)) return conversationOf(bound)
  const [held, ...more] = launchId === null ? [] : await reader.all(selectContextsOfLaunch, { launchId })
  if (isOwn(held) && more.length === 0) return conversationOf(held)
  return { key: webKey(projectId, agentId), originKey: '' }
}

const conversationOf = (row: ContextRow): OwnConversation => ({ key: row.conversation_key, originKey: row.origin_key })
