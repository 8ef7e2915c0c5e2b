/**
 * What an agent has finished, as it is heard: for the notices outside of the page (UI8). Said once, to whoever listens; nothing is kept.
 */
import type { HoldfastEvent } from '../../../src/protocol/events.ts'

export type Finished =
  /** A work session of the project has ended. */
  | { readonly what: 'work'; readonly projectId: string; readonly at: string }
  /** In a chat or a console. */
  | { readonly what: 'answer'; readonly who: string; readonly text: string; readonly tag: string }

type Listener = (finished: Finished) => void
const listeners = new Set<Listener>()

export function onFinished(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const publishFinished: Listener = (finished) => {
  for (const listener of listeners) listener(finished)
}

/** Of the streams the page follows: the end of work, told at home, and what agents say in the chats that are open. */
export function publishFinishedOf(event: HoldfastEvent): void {
  if (
    event.type === 'work-session-ended' &&
    event.stream === 'home' &&
    'ref' in event &&
    event.ref.stream.startsWith('project:')
  ) {
    publishFinished({ what: 'work', projectId: event.ref.stream.slice('project:'.length), at: event.at })
  }
  if (event.type === 'message-added' && 'data' in event && event.data.message.role === 'assistant') {
    const { senderId, content, id } = event.data.message
    publishFinished({ what: 'answer', who: senderId, text: content, tag: `answer-${id}` })
  }
}
