/**
 * Hands unread messages to an agent session (NA7, `get_pending_messages`): marks them delivered, not answered, so they stay
 * unread until `answer-chat`, and whoever comes next gets them again if it never comes. Asked again it gives the same ones and
 * whatever has come since.
 */
import { handOver } from '../domain/conversation/unread.ts'
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import type { Message } from '../protocol/message.ts'
import { heldBy, markDelivered, type Receiver, type Waiting, waitingFor } from '../store/queries/unread.ts'
import { defineUseCase } from '../store/store.ts'
import { currentConversation } from './conversation-record.ts'
import { servesChat } from './find-pending-conversation.ts'

/** Together; one message that is longer is handed over alone. */
const maxHandedOverChars = 1_000_000

interface HandedOverMessages {
  readonly messages: readonly Message[]
  readonly summary: string | null
}

export const handOverMessages = defineUseCase({
  name: 'hand-over-messages',
  // With the project's: whether the session still lives is decided there.
  streams: ({ projectId, conversationKey }: Receiver & { conversationKey: string }) => [
    conversationStream(conversationKey),
    projectStream(projectId),
  ],
  run: async (tx, { conversationKey: key, ...receiver }, { now }): Promise<HandedOverMessages> => {
    const { agentId, agentSessionId } = receiver
    const waiting = (await servesChat(tx, receiver)) ? await waitingFor(tx, receiver) : []
    const chosen = handOver(
      waiting.filter(({ conversationKey }) => conversationKey === key),
      agentSessionId,
    )
    if (!chosen) return { messages: [], summary: null }
    // DC2: what is handed over belongs to what goes on now; the summary of a day that is over does not.
    const { summary } = await currentConversation(tx, key, now)
    const handed = cut(chosen.messages)
    const seqs = handed.filter(({ deliveredTo }) => deliveredTo !== agentSessionId).map(({ seq }) => seq)
    for (const seq of seqs) await tx.write(markDelivered, { ...receiver, key, seq })
    if (seqs.length > 0)
      tx.append(conversationStream(key), { type: 'messages-delivered', data: { agentId, agentSessionId, seqs } })
    const held = new Map((await heldBy(tx, receiver, key)).map(({ deliveredTo: _, ...message }) => [message.seq, message]))
    return { messages: handed.flatMap(({ seq }) => held.get(seq) ?? []), summary: summary || null }
  },
})

/** As many from the front as fit. */
function cut(messages: readonly Waiting[]): Waiting[] {
  let chars = 0
  const fitting: Waiting[] = []
  for (const message of messages) {
    chars += message.chars
    if (chars > maxHandedOverChars && fitting.length > 0) break
    fitting.push(message)
  }
  return fitting
}
