/**
 * Appends a message that agents are to read, and begins their turns in the same commit where their
 * processes are free.
 */

import { ownerId } from '../../../domain/access/caller.ts'
import { unreadFor } from '../../../domain/conversations/messages.ts'
import type { StreamName } from '../../../domain/stream-name.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import type { Context, Tx } from '../../../store/store.ts'
import type { NewMessage } from '../../conversations/conversation-record.ts'
import { beginWaiting } from '../turns/begin-turn.ts'
import { appendMessage } from './append-message.ts'

/** CV14: a script's token speaks under its name; everybody else has a name of their own. */
const nameOfToken = async (tx: Tx, senderId: string): Promise<string | undefined> =>
  senderId === ownerId ? undefined : (await tx.row('credentials', { id: senderId }))?.name

export async function postForAgents(
  tx: Tx,
  row: ConversationRow,
  given: NewMessage,
  context: Context,
  to: { readonly readers: readonly string[]; readonly also?: readonly StreamName[] },
): Promise<Message> {
  const named = {
    ...given,
    senderName: given.senderName ?? (await nameOfToken(tx, given.senderId)),
  }
  const message = await appendMessage(tx, row, named, context, to)
  const { projectId, conversationKey: key } = message
  if (projectId === null) return message
  for (const agentId of unreadFor(message, to.readers))
    await beginWaiting(tx, { agentId, projectId, lane: await laneOf(tx, key, agentId) }, context)
  return message
}
