/**
 * Posts messages between two agents of a project (CV10). Their conversation is open while a session that wrote in it lives; the
 * next message reopens it. Each message is also announced in the project's stream, which waiting agents follow.
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

/** The other agent of a conversation between agents. Undefined for any other conversation. */
export const otherAgent = (key: string, agentId: string): string | undefined => {
  const agentIds: readonly string[] = parseAgentKey(key)?.agentIds ?? []
  return agentIds.includes(agentId) ? agentIds.find((id) => id !== agentId) : undefined
}

interface AgentMessage {
  readonly toAgentId: string
  readonly content: string
  /** CH12: the turn in which it was written. */
  readonly clientId?: string | undefined
  /** The conversation of the asking context. */
  readonly originKey: string
  /** The context that receives an answer. Left out for a question, which gets a context of its own for each origin. */
  readonly intoKey?: string | undefined
}

export async function postToAgent(
  tx: Tx,
  { agentId, projectId, agentSessionId }: Receiver,
  { toAgentId, content, clientId, originKey, intoKey }: AgentMessage,
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
  // An answer without a known origin goes into the conversation itself.
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
 * Runs an agent's call once per client id (NA8). A repeat by the same agent session returns the first answer; a repeat with
 * other content is refused. Receipts are kept for 7 days.
 */
export async function runOnce<Answer>(tx: Tx, call: AgentCall, now: Instant, work: () => Promise<Answer>): Promise<Answer> {
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
