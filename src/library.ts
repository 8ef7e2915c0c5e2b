/**
 * Exports of the package `holdfast` (LB1): the typed client, its live event stream, the relay of
 * user sessions, and embedded conversations.
 */
import type { Conversations } from './embedded/conversations.ts'
import type { ConversationsOptions } from './embedded/options.ts'

export {
  type Client,
  type ClientOptions,
  createClient,
  ProblemError,
  UnreachableError,
} from './client/client.ts'
export { watchEvents } from './client/event-stream.ts'
export { openRelay, type Relay, type RelayOptions } from './client/relay.ts'
export type { RelayEvent, RelaySnapshot } from './client/relay-messages.ts'
export { Refusal } from './domain/errors.ts'
export type { Conversations, FullMessage, PastMessage } from './embedded/conversations.ts'
export type { ConversationsOptions } from './embedded/options.ts'
export type { Agent } from './protocol/agents/agent.ts'
export type { Chapter } from './protocol/conversations/chapter.ts'
export type { Conversation, Flags } from './protocol/conversations/conversation.ts'
export type { Message } from './protocol/conversations/message.ts'
export type { HoldfastEvent } from './protocol/events.ts'
export type { Problem } from './protocol/problem.ts'
export type { Project } from './protocol/projects/project.ts'

/**
 * Opens conversations on an own store, without a server (CV1). The store is loaded on demand, so
 * that the client alone stays small.
 */
export async function createConversations(options: ConversationsOptions): Promise<Conversations> {
  const { openConversations } = await import('./compose/open-conversations.ts')
  return openConversations(options)
}
