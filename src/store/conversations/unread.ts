/**
 * Unanswered messages: a row exists from the commit of a message until it is answered. Each belongs
 * to the turn that answers it, which is queued until it is delivered and then running.
 */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Post } from '../agent-sessions/agent-sessions.ts'
import { unreadIn } from '../agent-sessions/work-at-hand.ts'
import { statement } from '../statement.ts'
import type { Reader, Tx } from '../store.ts'
import { messageOf } from './messages.ts'

/** An agent in a project and one of its sessions. */
export interface AgentCaller {
  readonly agentId: string
  readonly projectId: string
  readonly agentSessionId: string
}

/**
 * The most messages and characters of one turn; the rest comes with the next. A longer message is
 * delivered alone.
 */
const maxHandedOver = 500
const maxHandedOverChars = 1_000_000

export const moveUnread = statement<{ from: string; to: string }>()((db, p) =>
  db.updateTable('unread_messages').set({ turn_id: p.to }).where('turn_id', '=', p.from),
)

/** The same, to another agent. */
export const passUnread = statement<{ from: string; to: string; agentId: string }>()((db, p) =>
  db
    .updateTable('unread_messages')
    .set({ turn_id: p.to, agent_id: p.agentId })
    .where('turn_id', '=', p.from),
)

const moveOneUnread = statement<{ from: string; to: string; key: string; seq: number }>()((db, p) =>
  db
    .updateTable('unread_messages')
    .set({ turn_id: p.to })
    .where('turn_id', '=', p.from)
    .where('conversation_key', '=', p.key)
    .where('seq', '=', p.seq),
)

/** Behind every message that a person has put in order. */
const behindMoved = 1_000_000_000
const movedFirst = sql<number>`coalesce(moved_to, ${sql.lit(behindMoved)})`

/** The messages of a turn as people put them, the others most urgent first, then oldest. */
const selectOfTurn = statement<{ turnId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages as unread')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.conversation_key', '=', 'unread.conversation_key')
        .onRef('messages.seq', '=', 'unread.seq'),
    )
    .selectAll('messages')
    .where('unread.turn_id', '=', p.turnId)
    .orderBy(movedFirst)
    .orderBy('unread.priority_rank', 'desc')
    .orderBy('unread.conversation_key')
    .orderBy('unread.seq')
    .limit(p.limit),
)

export const messagesOfTurn = async (reader: Reader, turnId: string): Promise<Message[]> =>
  (await reader.all(selectOfTurn, { turnId, limit: maxHandedOver })).map(messageOf)

/** The messages that a turn has answered (SN13), as far as they are known. */
const selectAnswered = statement<{ turnId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('turn_id', '=', p.turnId)
    .orderBy('conversation_key')
    .orderBy('seq')
    .limit(p.limit),
)

export const answeredBy = async (reader: Reader, turnId: string): Promise<Message[]> =>
  (await reader.all(selectAnswered, { turnId, limit: maxHandedOver })).map(messageOf)

const selectInOrder = statement<{ turnId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .selectAll()
    .where('turn_id', '=', p.turnId)
    .orderBy(movedFirst)
    .orderBy('priority_rank', 'desc')
    .orderBy('conversation_key')
    .orderBy('seq')
    .limit(p.limit),
)

/** What waits in a turn, in the order in which it is told; of more, the first. */
export const waitingInOrder = (reader: Reader, turnId: string) =>
  reader.all(selectInOrder, { turnId, limit: 2 * maxHandedOver })

/**
 * Moves what exceeds one delivery to `rest`, another queued turn; returns whether there was any.
 */
export async function splitUnread(
  tx: Tx,
  turnId: string,
  rest: () => Promise<string>,
): Promise<void> {
  const rows = await waitingInOrder(tx, turnId)
  let chars = 0
  const firstKept = rows.findIndex((row, index) => {
    chars += row.chars
    return index > 0 && (index >= maxHandedOver || chars > maxHandedOverChars)
  })
  if (firstKept === -1) return
  const to = await rest()
  for (const { conversation_key: key, seq } of rows.slice(firstKept))
    await tx.write(moveOneUnread, { from: turnId, to, key, seq })
}

/** Messages that live agents were given in a conversation and have not answered. */
export const selectHandedOver = statement<{ agentId: string; key: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('unread_messages')
      .innerJoin('turns', 'turns.id', 'unread_messages.turn_id')
      .select('unread_messages.seq')
      .where('unread_messages.agent_id', '=', p.agentId)
      .where('unread_messages.conversation_key', '=', p.key)
      .where('turns.state', '=', 'running')
      .orderBy('unread_messages.seq')
      .limit(p.limit),
)

/** Messages that an agent was not given yet in a conversation, in the order in which it will be. */
export const selectWaiting = statement<{ agentId: string; key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .innerJoin('turns', 'turns.id', 'unread_messages.turn_id')
    .select(['unread_messages.seq', 'priority_rank', 'moved_to'])
    .where('unread_messages.agent_id', '=', p.agentId)
    .where('unread_messages.conversation_key', '=', p.key)
    .where('turns.state', '=', 'queued')
    .orderBy('turns.created_at')
    .orderBy('turns.id')
    .orderBy(movedFirst)
    .orderBy('priority_rank', 'desc')
    .orderBy('unread_messages.seq')
    .limit(p.limit),
)

export const selectUnreadMessage = statement<{ conversation_key: string; seq: number }>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .selectAll()
    .where('conversation_key', '=', p.conversation_key)
    .where('seq', '=', p.seq),
)
export const deleteUnreadMessage = statement<{ conversation_key: string; seq: number }>()((db, p) =>
  db
    .deleteFrom('unread_messages')
    .where('conversation_key', '=', p.conversation_key)
    .where('seq', '=', p.seq),
)

/** The oldest message of a conversation that the agent was not given yet. */
export const selectOldestNotHanded = statement<
  Omit<AgentCaller, 'agentSessionId'> & { key: string }
>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .innerJoin('turns', 'turns.id', 'unread_messages.turn_id')
    .select('unread_messages.seq')
    .where('unread_messages.agent_id', '=', p.agentId)
    .where('unread_messages.project_id', '=', p.projectId)
    .where('unread_messages.conversation_key', '=', p.key)
    .where('turns.state', '=', 'queued')
    .orderBy('unread_messages.seq')
    .limit(1),
)

/** CO7: whether there is an unread message newer than a given time. */
export const selectUnreadSince = statement<Post & { since: Instant }>()((db, p) =>
  unreadIn(db, p).where('unread_messages.created_at', '>', p.since).limit(1),
)

/** The unanswered messages of an agent in a conversation, oldest first. */
export const selectUnreadIn = statement<
  Omit<AgentCaller, 'agentSessionId'> & { key: string; limit: number }
>()((db, p) =>
  db
    .selectFrom('unread_messages')
    .select(['seq', 'turn_id'])
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .orderBy('seq')
    .limit(p.limit),
)
