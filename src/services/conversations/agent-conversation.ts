/**
 * What two agents of a project say to each other (CV10): open while a session that wrote in it lives, closed with it, opened
 * again by the next message. Each message is also told in the project's stream, where agents that wait listen.
 */

import { createHash } from 'node:crypto'
import { agentKey, parseAgentKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { insertOpenConversation } from '../../store/conversations/conversations.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from '../../store/log/receipts.ts'
import type { Context, Tx } from '../../store/store.ts'
import { appendMessage, changeConversation, openConversation } from './conversation-record.ts'

/** The agent at the other end; undefined when it is no conversation of this agent with another. */
export const otherAgent = (key: string, agentId: string): string | undefined => {
  const agentIds: readonly string[] = parseAgentKey(key)?.agentIds ?? []
  return agentIds.includes(agentId) ? agentIds.find((id) => id !== agentId) : undefined
}

interface Told {
  readonly toAgentId: string
  readonly content: string
  /** CH12: the turn it was said in. */
  readonly clientId?: string | undefined
  /** The conversation of the context that asked, or asks. */
  readonly originKey: string
  /** It answers: told in that context. Left out: it asks, and is told in a context of its own for what that one asks. */
  readonly intoKey?: string | undefined
}

export async function tellAgent(
  tx: Tx,
  { agentId, projectId, agentSessionId }: Receiver,
  { toAgentId, content, clientId, originKey, intoKey }: Told,
  context: Context,
): Promise<Message> {
  const key = agentKey(agentId, toAgentId)
  const { row } = await openConversation(tx, key, context.now)
  const open = row.state === 'open' ? row : await changeConversation(tx, row, { state: 'open' }, context.now)
  if (row.state === 'closed') tx.append(conversationStream(key), { type: 'conversation-reopened', data: { by: agentId } })
  await tx.write(insertOpenConversation, { agent_session_id: agentSessionId, conversation_key: key })
  const message = {
    senderId: agentId,
    receiverId: toAgentId,
    role: 'assistant',
    content,
    projectId,
    clientId,
    originKey,
  } as const
  // An answer for which nobody remembers who asked is told in the conversation itself.
  const into = intoKey ? { key: intoKey, originKey: '' } : { key, originKey }
  return appendMessage(tx, open, message, context, { readers: [toAgentId], also: [projectStream(projectId)], into })
}

interface AgentCall {
  readonly agentSessionId: string
  readonly operation: string
  readonly clientId?: string | undefined
  readonly content: string
}

/**
 * An agent's call under a client id of its own is done once (NA8): called again by the same agent session it gets the first
 * answer, whatever has happened since; with other words it is refused. Kept like every receipt, 7 days.
 */
export async function once<Answer>(tx: Tx, call: AgentCall, now: Instant, work: () => Promise<Answer>): Promise<Answer> {
  if (call.clientId === undefined) return work()
  const receipt = {
    credentialId: call.agentSessionId,
    operation: call.operation,
    key: call.clientId,
    contentHash: createHash('sha256').update(call.content).digest('base64url'),
    sealedBy: '',
  }
  const kept = await readReceipt(tx, receipt)
  if (kept && isValid(kept, now)) return answerIn(kept, receipt) as Answer
  const answer = await work()
  await keepReceipt(tx, receipt, { answer, secret: false, now, outlived: kept !== undefined })
  return answer
}
