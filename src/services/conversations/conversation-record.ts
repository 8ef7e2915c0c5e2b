/**
 * Finds and creates conversations and appends messages, for all use cases that write to one. An append costs the same at any
 * length (CV5). Callers check who may write.
 */
import { refusalText } from '../../domain/because.ts'
import { claimOf } from '../../domain/conversations/file-name.ts'
import { isReserved, parseKey, parseWebKey } from '../../domain/conversations/key.ts'
import { lengthOf } from '../../domain/conversations/summary.ts'
import { rankOf, unreadFor } from '../../domain/conversations/unread.ts'
import { Refusal } from '../../domain/errors.ts'
import { messageId } from '../../domain/ids.ts'
import type { Instant } from '../../domain/instant.ts'
import { conversationStream, type StreamName } from '../../domain/stream-name.ts'
import type { ConversationPiece } from '../../protocol/conversations/import.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import {
  type ConversationRow,
  conversationOf,
  countMessage,
  insertConversation,
  insertName,
  newConversationRow,
  selectConversation,
  selectHolderOf,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import { insertUnread } from '../../store/conversations/unread.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { forwardToChannel } from '../channels/channel-chat-record.ts'
import { noSuchConversation } from '../refusals.ts'
import { queueChat } from '../turns/turn-record.ts'
import { beginChapter, closeDueChapter } from './chapter-record.ts'
import { initialWorkplace } from './conversation-workplace.ts'

/** The stream of a caller's key. Refuses a key that cannot name a file (CV6). */
export function streamOfKey(key: string): StreamName {
  const parsed = parseKey(key)
  if ('refused' in parsed) throw new Refusal(parsed.refused.code, parsed.refused.detail)
  return conversationStream(key)
}

/** Refuses to create a conversation under a reserved key for an outside caller (CV11). */
export async function requireCreatable(reader: Reader, key: string): Promise<void> {
  if (!isReserved(key) || (await reader.first(selectConversation, { key }))) return
  throw new Refusal('invalid_key', refusalText('keyReserved', { channel: key.slice(0, key.indexOf(':')) }))
}

export async function existingConversation(reader: Reader, key: string): Promise<ConversationRow> {
  const row = await reader.first(selectConversation, { key })
  if (!row) throw noSuchConversation(key)
  return row
}

/** Finds a conversation for a change, after closing a due chapter (DC2). */
export const currentConversation = async (tx: Tx, key: string, now: Instant): Promise<ConversationRow> =>
  closeDueChapter(tx, await existingConversation(tx, key), now)

type GivenField = 'summary' | 'flags' | 'created_at' | 'updated_at' | 'project_id' | 'agent_id' | 'account_id'

/** Finds or creates a conversation. `given` applies to a new one only. */
export async function openConversation(
  tx: Tx,
  key: string,
  now: Instant,
  given: Partial<Pick<ConversationRow, GivenField>> = {},
): Promise<{ row: ConversationRow; created: boolean }> {
  const found = await tx.first(selectConversation, { key })
  if (found) return { row: await closeDueChapter(tx, found, now), created: false }
  const { projectId, agentId } = parseWebKey(key) ?? { projectId: null, agentId: null }
  const begun = { ...newConversationRow(now, { key, projectId, agentId }), ...given }
  const row = { ...begun, workplace: await initialWorkplace(tx, begun) }
  await tx.write(insertConversation, row)
  await claimName(tx, key)
  tx.append(conversationStream(key), { type: 'conversation-created', data: { conversation: conversationOf(row) } })
  return { row, created: true }
}

/**
 * Claims the plain file name for the first conversation that needs it (CV6). On a race the database admits one and the other
 * runs again.
 */
async function claimName(tx: Tx, key: string): Promise<void> {
  const name = claimOf(key)
  if (name === undefined || (await tx.first(selectHolderOf, { name }))) return
  await tx.write(insertName, { name, conversation_key: key })
}

/** A message to store. By default it is visible, of normal priority, and of the conversation's project. */
export type NewMessage = Pick<Message, 'senderId' | 'receiverId' | 'role' | 'content'> & {
  readonly [Name in OptionalField]?: Message[Name] | undefined
} & {
  /** Between agents: the conversation of the asking context. */
  readonly originKey?: string | undefined
  readonly senderName?: string | undefined
}
type OptionalField =
  | 'visible'
  | 'priority'
  | 'projectId'
  | 'clientId'
  | 'relatedTaskId'
  | 'relatedHandoffId'
  | 'toolCalls'
  | 'toolCallId'
  | 'media'
  | 'extra'
  | 'copyOf'

interface WrittenMessage {
  readonly message: Message
  /** The conversation with the message counted, not written yet. */
  readonly counted: ConversationRow
}

/** Stores a message and its event. The caller writes the counted conversation once for all messages. */
export async function writeMessage(
  tx: Tx,
  before: ConversationRow,
  given: NewMessage,
  { now, random }: Context,
  also: readonly StreamName[] = [],
): Promise<WrittenMessage> {
  const row = before.chapter_day === null ? await beginChapter(tx, before, now) : before
  const unnumbered: Omit<Message, 'seq'> = {
    id: messageId(random.uuid()),
    conversationKey: row.key,
    projectId: given.projectId ?? row.project_id,
    senderId: given.senderId,
    receiverId: given.receiverId,
    role: given.role,
    content: given.content,
    visible: given.visible ?? true,
    priority: given.priority ?? 'normal',
    clientId: given.clientId ?? null,
    relatedTaskId: given.relatedTaskId ?? null,
    relatedHandoffId: given.relatedHandoffId ?? null,
    toolCalls: given.toolCalls ?? null,
    toolCallId: given.toolCallId ?? null,
    media: given.media ?? null,
    extra: given.extra ?? null,
    copyOf: given.copyOf ?? null,
    createdAt: now,
  }
  const named = given.senderName === undefined ? unnumbered : { ...unnumbered, senderName: given.senderName }
  const numbered = (seq: number): Message => ({ ...named, seq })
  const event = (seq: number) => ({ type: 'message-added', data: { message: numbered(seq) } }) as const
  const message = numbered(tx.append(conversationStream(row.key), event, also))
  await tx.write(insertMessage, {
    ...messageRow(message),
    origin_key: given.originKey ?? null,
    sender_name: given.senderName ?? null,
  })
  const counts = message.visible ? { chars: lengthOf(message.content), messages: 1 } : { chars: 0, messages: 0 }
  return {
    message,
    counted: {
      ...row,
      unsummarised_chars: row.unsummarised_chars + counts.chars,
      message_count: row.message_count + counts.messages,
      chapter_messages: row.chapter_messages + (message.copyOf === null ? counts.messages : 0),
      updated_at: now,
    },
  }
}

const messageRow = (message: Message) => ({
  conversation_key: message.conversationKey,
  seq: message.seq,
  id: message.id,
  role: message.role,
  sender_id: message.senderId,
  receiver_id: message.receiverId,
  content: message.content,
  visible: message.visible ? 1 : 0,
  priority: message.priority,
  project_id: message.projectId,
  related_task_id: message.relatedTaskId,
  related_handoff_id: message.relatedHandoffId,
  client_id: message.clientId,
  tool_calls: message.toolCalls === null ? null : JSON.stringify(message.toolCalls),
  tool_call_id: message.toolCallId,
  media: message.media === null ? null : JSON.stringify(message.media),
  extra: message.extra === null ? null : JSON.stringify(message.extra),
  copy_of: message.copyOf,
  created_at: message.createdAt,
})

/** The conversation whose context receives a message, if not the message's own. */
interface TargetContext {
  readonly key: string
  readonly originKey: string
}

/** Appends one message and marks it unread for its receivers among `readers`. */
export async function appendMessage(
  tx: Tx,
  row: ConversationRow,
  given: NewMessage,
  context: Context,
  {
    readers,
    also,
    into,
  }: { readonly readers: readonly string[]; readonly also?: readonly StreamName[]; readonly into?: TargetContext },
): Promise<Message> {
  const { message, counted } = await writeMessage(tx, row, given, context, also)
  await tx.write(countMessage, counted)
  if (message.role === 'assistant' && message.visible) await forwardToChannel(tx, row.key, message.content, context.now)
  const { projectId } = message
  if (projectId === null) return message
  for (const agentId of unreadFor(message, readers)) {
    const where = into ?? { key: message.conversationKey, originKey: '' }
    const turnId = await queueChat(tx, { agentId, projectId, ...where, by: message.senderId }, context)
    await tx.write(insertUnread, {
      agent_id: agentId,
      project_id: projectId,
      conversation_key: message.conversationKey,
      seq: message.seq,
      priority_rank: rankOf(message.priority),
      created_at: message.createdAt,
      chars: lengthOf(message.content),
      turn_id: turnId,
    })
  }
  return message
}

export async function changeConversation(tx: Tx, row: ConversationRow, change: Partial<ConversationRow>, now: Instant) {
  const changed = { ...row, ...change, updated_at: now }
  await tx.write(updateConversation, changed)
  return changed
}

/** Whether an imported message equals a stored one: same role, content and attachments (CV7). */
export const isSame = (kept: Message, given: ConversationPiece['messages'][number]): boolean =>
  kept.role === given.role &&
  kept.content === given.content &&
  kept.toolCallId === (given.toolCallId ?? null) &&
  JSON.stringify(kept.toolCalls) === JSON.stringify(given.toolCalls ?? null) &&
  JSON.stringify(kept.media) === JSON.stringify(given.media ?? null) &&
  JSON.stringify(kept.extra) === JSON.stringify(given.extra ?? null)
