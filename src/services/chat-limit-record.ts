/**
 * A chat whose agent is at its vendor's limit (AG6, CH12), written down the same way whoever says so. What it could not answer is kept;
 * when the limit is over, or the agent answers something else before, it is unread again if a person said so: whoever is there is told
 * it, and who is not there is started for it, as with any message. The use case names the conversation's and the project's streams.
 */
import { lengthOf } from '../domain/conversation/length.ts'
import { rankOf } from '../domain/conversation/priority.ts'
import type { Instant } from '../domain/instant.ts'
import { conversationStream } from '../domain/stream/name.ts'
import type { Message } from '../protocol/message.ts'
import { type ChatLimitRow, deleteChatLimit, keepChatLimit, selectChatLimit } from '../store/queries/chat-limits.ts'
import { insertUnread, type UnreadRow } from '../store/queries/unread.ts'
import type { Context, Reader, Tx } from '../store/store.ts'
import { isAssigned } from './check-assigned.ts'
import { mostTimesTakenUp } from './limit-record.ts'
import { queueChat } from './turn-record.ts'

/** Of what it could not answer, the newest: more than anybody writes while a limit lasts. */
const mostHeld = 100

type Held = Pick<UnreadRow, 'seq' | 'priority_rank' | 'created_at' | 'chars'>

const heldRow = ({ seq, priority, createdAt, content }: Message): Held => ({
  seq,
  priority_rank: rankOf(priority),
  created_at: createdAt,
  chars: lengthOf(content),
})

interface Chat {
  readonly key: string
  readonly projectId: string
  readonly agentId: string
}

/** Of this agent: a chat on a channel may have been another's meanwhile. */
async function limitIn(reader: Reader, { key, projectId, agentId }: Chat): Promise<ChatLimitRow | undefined> {
  const row = await reader.first(selectChatLimit, { key })
  return row?.project_id === projectId && row.agent_id === agentId ? row : undefined
}

/** The limit that the agent is at in this chat now. */
export async function chatLimitNow(reader: Reader, chat: Chat): Promise<(ChatLimitRow & { limited_until: Instant }) | undefined> {
  const row = await limitIn(reader, chat)
  return row && row.limited_until !== null ? { ...row, limited_until: row.limited_until } : undefined
}

/** Whether a person has said that it goes on by itself, and not too often. */
export const goesOnInChat = async (reader: Reader, chat: Chat): Promise<boolean> =>
  ((await limitIn(reader, chat))?.goes_on_left ?? 0) > 0

/** A person says whether what it could not answer is told it again by itself. */
export async function chooseInChat(tx: Tx, row: ChatLimitRow, goOn: boolean, by: string): Promise<void> {
  const chosen = { ...row, goes_on_by: goOn ? by : null, goes_on_left: goOn ? mostTimesTakenUp : 0 }
  await tx.write(keepChatLimit, chosen)
  tellChatLimit(tx, chosen)
}

/** The chat begins anew, or is over: nothing is taken up again. */
export async function forgetChatLimit(tx: Tx, key: string): Promise<void> {
  const row = await tx.first(selectChatLimit, { key })
  if (!row) return
  await tx.write(deleteChatLimit, { key })
  if (row.limited_until !== null) tellChatLimit(tx, { ...row, limited_until: null })
}

/** It could not answer these. What it could not answer before, and a wish of before, go on. */
export async function meetChatLimit(tx: Tx, chat: Chat, messages: readonly Message[], until: Instant): Promise<void> {
  const { key, projectId, agentId } = chat
  const before = await limitIn(tx, chat)
  if (!before) await tx.write(deleteChatLimit, { key })
  const known: Held[] = before && before.limited_until !== null ? JSON.parse(before.held) : []
  const held = [...known, ...messages.map(heldRow)].slice(-mostHeld)
  const row: ChatLimitRow = {
    conversation_key: key,
    project_id: projectId,
    agent_id: agentId,
    held: JSON.stringify(held),
    limited_until: until,
    goes_on_by: before && before.goes_on_left > 0 ? before.goes_on_by : null,
    goes_on_left: before?.goes_on_left ?? 0,
  }
  await tx.write(keepChatLimit, row)
  tellChatLimit(tx, row)
}

/** It has answered: there is no limit any more, and what it could not answer before comes next. */
export async function chatWorks(tx: Tx, chat: Chat, context: Context): Promise<void> {
  const row = await limitIn(tx, chat)
  if (!row) return
  if (row.limited_until === null) await tx.write(deleteChatLimit, { key: chat.key })
  else await liftChatLimit(tx, row, context)
}

/** It is over. What is taken up again counts, so that one that meets the limit for ever is not asked for ever. */
export async function liftChatLimit(tx: Tx, row: ChatLimitRow, context: Context): Promise<void> {
  const { conversation_key: key, project_id, agent_id, goes_on_left: left } = row
  const takesUp = left > 0 && (await isAssigned(tx, { projectId: project_id, agentId: agent_id }))
  const lifted = { ...row, limited_until: null, held: '[]', goes_on_left: takesUp ? left - 1 : 0 }
  if (takesUp) {
    const which = { agentId: agent_id, projectId: project_id, key, originKey: '', by: row.goes_on_by ?? agent_id }
    const turn_id = await queueChat(tx, which, context)
    for (const held of JSON.parse(row.held) as Held[])
      await tx.write(insertUnread, { ...held, agent_id, project_id, conversation_key: key, turn_id })
    await tx.write(keepChatLimit, lifted)
  } else await tx.write(deleteChatLimit, { key })
  tellChatLimit(tx, lifted)
}

function tellChatLimit(tx: Tx, row: ChatLimitRow): void {
  const { conversation_key: key, agent_id: agentId, limited_until: until, goes_on_by: by } = row
  const goesOn = until !== null && row.goes_on_left > 0
  tx.append(conversationStream(key), { type: 'chat-limited', data: { agentId, until, goesOn, by: goesOn ? by : null } })
}
