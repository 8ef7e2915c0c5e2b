/**
 * Publishes answers and work that agents have finished, for browser notifications (UI8). Listeners
 * are called once; nothing is stored.
 */
import type { HoldfastEvent } from '../../../src/protocol/events.ts'

export type Finished =
  /** A work session of the project has ended. */
  | { readonly what: 'work'; readonly projectId: string; readonly at: string }
  /** An answer in a chat or a console. */
  | {
      readonly what: 'answer'
      readonly who: string
      readonly text: string
      readonly tag: string
      /** Whether there is none, and the text says why. */
      readonly failed: boolean
    }

type Listener = (finished: Finished) => void
const listeners = new Set<Listener>()

export function onFinished(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const publishFinished: Listener = (finished) => {
  for (const listener of listeners) listener(finished)
}

/**
 * Publishes what an event finishes: ended work on the stream `home`, and agents' messages in open
 * chats.
 */
export function publishFinishedOf(event: HoldfastEvent): void {
  if (
    event.type === 'work-session-ended' &&
    event.stream === 'home' &&
    'ref' in event &&
    event.ref.stream.startsWith('project:')
  ) {
    publishFinished({
      what: 'work',
      projectId: event.ref.stream.slice('project:'.length),
      at: event.at,
    })
  }
  if (
    event.type === 'message-added' &&
    'data' in event &&
    event.data.message.role === 'assistant'
  ) {
    const { senderId, content, id, notice } = event.data.message
    publishFinished({
      what: 'answer',
      who: senderId,
      text: content,
      tag: `answer-${id}`,
      failed: (notice ?? null) !== null,
    })
  }
}
