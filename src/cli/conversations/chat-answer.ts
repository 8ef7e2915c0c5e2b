/** Sends one message and waits until the agent has answered exactly that one (NA7), across lost connections. */
import { clientClock } from '../../client/backoff.ts'
import type { Client } from '../../client/client.ts'
import { type EventWatch, watchEvents } from '../../client/event-stream.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import type { ConversationState } from '../../protocol/snapshot.ts'
import { CommandFailure, failed, signedOut } from '../failure.ts'

export interface Awaited {
  readonly client: Client
  readonly conversationKey: string
  readonly agentId: string
  readonly timeoutMs: number
}

/** `post` is called once events are followed. null: answered without text. */
export async function awaitAnswer(options: Awaited, post: () => Promise<Message>): Promise<Message | null> {
  const { client, conversationKey, agentId, timeoutMs } = options
  const stream = conversationStream(conversationKey)
  const { cursor } = await client.get('/api/snapshot', { query: { streams: stream } })
  const sent = await post()
  const messages = new Map<number, Message>()
  let watch: EventWatch | undefined
  let stopWaiting = (): void => {}
  try {
    return await new Promise((resolve, reject) => {
      const onEvent = (event: HoldfastEvent): void => {
        if (!('data' in event)) return
        if (event.type === 'message-added') messages.set(event.data.message.seq, event.data.message)
        if (event.type !== 'messages-read' || event.data.agentId !== agentId || !event.data.seqs.includes(sent.seq)) return
        const { answerSeq } = event.data
        resolve(answerSeq === null ? null : (messages.get(answerSeq) ?? null))
      }
      // The events in between are lost: the agent's messages since count as the answer.
      const onSnapshot = (state: ConversationState | undefined): void => {
        const answer = state?.messages.findLast(({ senderId, seq }) => senderId === agentId && seq > sent.seq)
        if (answer) resolve(answer)
      }
      watch = watchEvents(client, {
        streams: [stream],
        after: cursor,
        onEvent,
        onSnapshot: ({ state }) => onSnapshot(state[stream] as ConversationState | undefined),
        onState: (now) => {
          if (now.state === 'signed-out') reject(signedOut())
          if (now.state === 'refused') reject(failed(now.problem.detail, now.problem.next ?? ''))
        },
      })
      const noAnswer = `No answer came within ${timeoutMs / 1000} s.`
      const next = `The message is kept; \`holdfast chat ${agentId}\` shows the answer when there is one.`
      stopWaiting = clientClock.after(timeoutMs, () => reject(new CommandFailure('later', noAnswer, next, 'no_answer')))
    })
  } finally {
    stopWaiting()
    watch?.close()
  }
}
