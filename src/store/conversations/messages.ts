/**
 * Queries about messages by their numbers, so that the newest 50 cost the same in any conversation
 * (CH8).
 */
import { sql } from 'kysely'
import { inReadingOrder } from '../../domain/conversations/messages.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { columns, jsonOf, noticeFrom } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type MessageRow = Tables['messages']

export interface MessagesPage {
  readonly key: string
  /**
   * The end of the previous page; for the first page, before the first or after the last message.
   */
  readonly seq: number
  /** CH2: includes hidden messages. */
  readonly hidden: boolean
  /** Leaves out copies made by setHistory, so that each message of a day appears once. */
  readonly originals?: boolean
  readonly limit: number
}

/** After every possible message. */
export const afterAllMessages = Number.MAX_SAFE_INTEGER

interface PageSlots {
  readonly key: string
  readonly seq: number
  readonly leastVisible: number
  readonly mostCopy: number
  readonly limit: number
}

/** FS8, CH16: a message that a rewind took back, or that was withdrawn, is hidden. */
const shown = sql<number>`case when rewound_by is null then visible else 0 end`

/** When the turn began whose answer a message is. */
export const begunAt = sql<
  string | null
>`(select started_at from turns where turns.id = messages.client_id and messages.role = 'assistant')`.as(
  'begunAt',
)

const selectBefore = statement<PageSlots>()((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .select(begunAt)
    .where('conversation_key', '=', p.key)
    .where('seq', '<', p.seq)
    .where(shown, '>=', p.leastVisible)
    .where(sql<number>`coalesce(copy_of, 0)`, '<=', p.mostCopy)
    .orderBy('seq', 'desc')
    .limit(p.limit),
)

const selectAfter = statement<PageSlots>()((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .select(begunAt)
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.seq)
    .where(shown, '>=', p.leastVisible)
    .where(sql<number>`coalesce(copy_of, 0)`, '<=', p.mostCopy)
    .orderBy('seq')
    .limit(p.limit),
)

/** CH3: the message of this sender with this client id, in any conversation. */
export const selectByClientId = statement<{ senderId: string; clientId: string }>()((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('sender_id', '=', p.senderId)
    .where('client_id', '=', p.clientId)
    .orderBy('conversation_key')
    .limit(1),
)

const contextColumns = [
  ...(['seq', 'role', 'sender_id', 'sender_name', 'content', 'tool_calls', 'media'] as const),
  ...(['created_at as createdAt', 'origin_key'] as const),
] as const

/** What a message is told with (CV14). */
export const textParts = ({
  content,
  tool_calls,
  media,
}: Pick<MessageRow, 'content' | 'tool_calls' | 'media'>) => ({
  content,
  toolCalls: tool_calls === null ? null : JSON.parse(tool_calls),
  media: media === null ? null : JSON.parse(media),
})

/** The senders among the newest messages that agents still get. */
export const selectPeopleIn = statement<{ key: string; keptAfter: number; limit: number }>()(
  (db, p) =>
    db
      .selectFrom(
        db
          .selectFrom('messages')
          .select(['role', 'sender_id', 'sender_name'])
          .where('conversation_key', '=', p.key)
          .where('seq', '>', p.keptAfter)
          .where(shown, '=', 1)
          .orderBy('seq', 'desc')
          .limit(p.limit)
          .as('newest'),
      )
      .select(['sender_id', 'sender_name'])
      .where('role', '=', 'user')
      .distinct(),
)

const selectHistory = statement<{ key: string; keptAfter: number; limit: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select([...contextColumns, begunAt])
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.keptAfter)
    .where(shown, '=', 1)
    .orderBy('seq', 'desc')
    .limit(p.limit),
)

/**
 * The messages that agents still get, the last to be read first; between agents, only those of the
 * same requesting context.
 */
export async function historyBefore(
  reader: Reader,
  { originKey, ...page }: { key: string; keptAfter: number; originKey: string; limit: number },
) {
  const rows = inReadingOrder((await reader.all(selectHistory, page)).reverse()).reverse()
  return originKey === '' ? rows : rows.filter(({ origin_key }) => origin_key === originKey)
}

const selectBetween = statement<{ key: string; after: number; before: number; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('messages')
      .select([...contextColumns, begunAt])
      .where('conversation_key', '=', p.key)
      .where('seq', '>', p.after)
      .where('seq', '<', p.before)
      .where(shown, '=', 1)
      .orderBy('seq', 'desc')
      .limit(p.limit),
)

const selectContextMessage = statement<{ key: string; seq: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select([...contextColumns, begunAt])
    .where('conversation_key', '=', p.key)
    .where('seq', '=', p.seq)
    .where(shown, '=', 1),
)

type Within = { readonly key: string; readonly originKey: string } & (
  | { readonly seqs: readonly number[] }
  | { readonly after: number; readonly before: number; readonly limit: number }
)

/**
 * Visible messages in the order to read them; between agents, only those of the same requesting
 * context.
 */
export async function messagesWithin(reader: Reader, { key, originKey, ...which }: Within) {
  const rows =
    'seqs' in which
      ? (
          await Promise.all(
            which.seqs.map((seq) => reader.first(selectContextMessage, { key, seq })),
          )
        ).flatMap((row) => row ?? [])
      : await reader.all(selectBetween, { key, ...which })
  const own = originKey === '' ? rows : rows.filter(({ origin_key }) => origin_key === originKey)
  return inReadingOrder(own.toSorted((a, b) => a.seq - b.seq))
}

/** The number and id of the newest message. */
export const selectLastMessage = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('messages')
    .select(['seq', 'id'])
    .where('conversation_key', '=', p.key)
    .orderBy('seq', 'desc')
    .limit(1),
)

/** The newest visible message, for lists of conversations. */
export const selectLastSaid = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('messages')
    .select([
      'seq',
      'role',
      'sender_id',
      'created_at',
      'notice',
      sql<string>`substr(content, 1, 200)`.as('beginning'),
    ])
    .where('conversation_key', '=', p.key)
    .where(shown, '=', 1)
    .orderBy('seq', 'desc')
    .limit(1),
)

/** The beginning of the first message that was written, which stands for a title. */
export const selectOpening = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('messages')
    .select(sql<string>`substr(content, 1, 200)`.as('beginning'))
    .where('conversation_key', '=', p.key)
    .where('role', '=', 'user')
    .where(shown, '=', 1)
    .orderBy('seq')
    .limit(1),
)

/** What became of a message (CH16, SN13). */
export const selectFate = statement<{ conversation_key: string; seq: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select(['role', 'rewound_by', 'turn_id'])
    .where('conversation_key', '=', p.conversation_key)
    .where('seq', '=', p.seq),
)
export const selectMessageId = statement<{ key: string; seq: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select('id')
    .where('conversation_key', '=', p.key)
    .where('seq', '=', p.seq),
)

const selectNewestSeqs = statement<{ key: string; keptAfter: number; limit: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select('seq')
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.keptAfter)
    .where(shown, '=', 1)
    .orderBy('seq', 'desc')
    .limit(p.limit),
)

const selectMeasure = statement<{ key: string; after: number; through: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select([
      sql<number>`count(*)`.as('count'),
      sql<number>`coalesce(sum(length(content)), 0)`.as('chars'),
    ])
    .select(sql<number>`count(*) - count(copy_of)`.as('originals'))
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.after)
    .where('seq', '<=', p.through)
    .where(shown, '=', 1),
)

export const messageOf = (row: MessageRow): Message => ({
  id: row.id,
  seq: row.seq,
  conversationKey: row.conversation_key,
  projectId: row.project_id,
  senderId: row.sender_id,
  receiverId: row.receiver_id,
  role: row.role,
  content: row.content,
  visible: row.visible === 1 && row.rewound_by === null,
  priority: row.priority,
  clientId: row.client_id,
  relatedTaskId: row.related_task_id,
  relatedHandoffId: row.related_handoff_id,
  toolCalls: row.tool_calls === null ? null : JSON.parse(row.tool_calls),
  toolCallId: row.tool_call_id,
  media: row.media === null ? null : JSON.parse(row.media),
  extra: row.extra === null ? null : JSON.parse(row.extra),
  copyOf: row.copy_of,
  createdAt: row.created_at,
  ...(row.notice !== null && { notice: noticeFrom(row.notice) }),
  ...(row.sender_name !== null && { senderName: row.sender_name }),
})

const slots = ({ key, seq, hidden, originals, limit }: MessagesPage): PageSlots => ({
  key,
  seq,
  limit,
  leastVisible: hidden ? 0 : 1,
  mostCopy: originals ? 0 : afterAllMessages,
})

export const messageRow = (message: Message) => ({
  ...columns(message, 'conversation_key', 'seq', 'id', 'role', 'sender_id', 'receiver_id'),
  ...columns(message, 'content', 'priority', 'project_id', 'related_task_id', 'created_at'),
  ...columns(message, 'related_handoff_id', 'client_id', 'tool_call_id', 'copy_of'),
  notice: message.notice ? JSON.stringify(message.notice) : null,
  visible: message.visible ? 1 : 0,
  tool_calls: jsonOf(message.toolCalls),
  media: jsonOf(message.media),
  extra: jsonOf(message.extra),
})

/** The same of a message that is written. */
export async function beginOfAnswer(
  reader: Reader,
  { role, clientId }: Pick<Message, 'role' | 'clientId'>,
): Promise<Instant | null | undefined> {
  if (role !== 'assistant' || clientId === null) return null
  return (await reader.row('turns', { id: clientId }))?.started_at
}

export const begunMessage = ({
  begunAt,
  ...row
}: MessageRow & { readonly begunAt: string | null }): Message => ({
  ...messageOf(row),
  ...(begunAt !== null && { begunAt }),
})

/** Newest first. */
export const messagesBefore = async (reader: Reader, page: MessagesPage): Promise<Message[]> =>
  (await reader.all(selectBefore, slots(page))).map(begunMessage)

/** Oldest first. */
export const messagesAfter = async (reader: Reader, page: MessagesPage): Promise<Message[]> =>
  (await reader.all(selectAfter, slots(page))).map(begunMessage)

/** The numbers of the newest visible messages that agents get, oldest first. */
export async function newestSeqs(
  reader: Reader,
  key: string,
  keptAfter: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.all(selectNewestSeqs, { key, keptAfter, limit })
  return rows.map(({ seq }) => seq).reverse()
}

/** The number and total length of visible messages after one number and up to another. */
export async function measured(
  reader: Reader,
  key: string,
  after: number,
  through = afterAllMessages,
) {
  return (
    (await reader.first(selectMeasure, { key, after, through })) ?? {
      count: 0,
      chars: 0,
      originals: 0,
    }
  )
}
