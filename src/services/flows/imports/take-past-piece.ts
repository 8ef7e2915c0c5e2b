/**
 * Takes in a piece of a session that an agent keeps in files of its own (IM5): its turns become
 * turns and messages of a conversation that is its person's. Turns that are there, and those that
 * ran here, are left; a turn that had no end when it was taken in is written anew.
 */
import type { Instant } from '../../../domain/instant.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import type {
  PastPiece,
  PastTurn,
  TakenPiece,
} from '../../../protocol/conversations/past-session.ts'
import { storable } from '../../../protocol/text.ts'
import {
  answerIn,
  type KeptItems,
  noItems,
  withUpdate,
} from '../../../protocol/threads/turn-items.ts'
import type { PromptPart } from '../../../protocol/turns/prompt.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { selectOwnTurns } from '../../../store/conversations/imported-sessions.ts'
import { isArchived, marksOf } from '../../../store/conversations/marks.ts'
import { selectLastMessage } from '../../../store/conversations/messages.ts'
import { newRow } from '../../../store/rows.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { newTurnRow, type TurnRow } from '../../../store/turns/turns.ts'
import { ownerInRow } from '../../access/owners.ts'
import { addConversation } from '../../conversations/add-conversation.ts'
import { changeConversation, writeMessage } from '../../conversations/conversation-record.ts'
import {
  idOfPastTurn,
  keyOfPast,
  nameOfPastAgent,
  originOfFork,
  type PastRoute,
  routeTo,
} from '../../conversations/imported-session.ts'
import { keepAsArchived } from '../../conversations/mark-conversation.ts'
import { tellChangedSession } from '../../tell-session.ts'
import { getOrCreateContext } from '../../turns/context-record.ts'
import { changeContext } from '../../turns/move-context.ts'
import { addPastTurn, replacePastTurn } from '../../turns/move-turn.ts'
import { keepOutput } from '../../turns/turn-output.ts'

/** A turn of the source that begins so long before or after one that ran here may be that one. */
const sameTurnMs = 10_000
/** The mark of messages that the person took back in the agent's own program. */
const takenBackThere = 'taken-back'

type Piece = Omit<PastPiece, 'named'> & {
  readonly named: boolean
  readonly by: string
  readonly route: PastRoute
}

const keyOf = ({ by, source }: Pick<Piece, 'by' | 'source'>): string =>
  keyOfPast({ by, agent: source.agent, id: source.id })

const leftAlone = (outcome: TakenPiece['outcome']): TakenPiece => ({
  key: null,
  outcome,
  created: false,
  added: 0,
})

export const takePastPiece = defineUseCase('take-past-piece', {
  scope: 'write',
  on: 'caller',
  streams: (piece: Piece) => [conversationStream(keyOf(piece))],
  run: async (tx, piece, context): Promise<TakenPiece> => {
    const { by, source, named, mark } = piece
    const key = keyOf(piece)
    const sourceKey = { account_id: by, agent: source.agent, source_id: source.id }
    const began = await tx.row('agent_session_ids', { id: source.id })
    if (began && began.conversation_key !== key) return leftAlone('began_here')
    const imported = await tx.row('imported_sessions', sourceKey)
    if (imported?.state === 'deleted' && !named) return leftAlone('deleted')
    const found = await tx.row('conversations', { key })
    const row = found ?? (await beginPast(tx, key, piece, context))
    // Where it is now: it may have been given a project.
    const route = found ? await routeTo(tx, found.project_id, source) : piece.route
    const placed = { ...piece, route }
    const wasArchived = found ? await isArchivedBy(tx, found, by) : source.archived
    const { added, changed } = await addTurns(tx, row, placed, context)
    const forked = { ...changed, updated_at: row.updated_at, ...(await forkIn(tx, placed)) }
    await finish(tx, forked, placed, context)
    // What a person has taken out of the archive here stays out of it.
    if (source.archived && wasArchived)
      await keepAsArchived(tx, changed, { key, by, archived: true })
    const isPrivate = ownerInRow(row) !== null
    tellChangedSession(tx, { key, projectId: row.project_id, isPrivate })
    await tx.put('imported_sessions', {
      ...sourceKey,
      conversation_key: key,
      title: source.title,
      machine: source.machine,
      folder: source.folder,
      mark,
      state: 'taken',
      created_at: imported?.created_at ?? context.now,
      updated_at: context.now,
    })
    return { key, outcome: 'taken', created: !found, added }
  },
})

const isArchivedBy = async (tx: Tx, row: ConversationRow, personId: string): Promise<boolean> =>
  isArchived(await marksOf(tx, { key: row.key, personId }), row)

/** IM11: told once what it was forked from is there. */
async function forkIn(
  tx: Tx,
  { by, source, turns }: Piece,
): Promise<Partial<Pick<ConversationRow, 'forked_from'>>> {
  const { agent, forkOf } = source
  if (forkOf === null) return {}
  tx.lock(conversationStream(keyOfPast({ by, agent, id: forkOf })))
  const ids = turns.map(({ id }) => id)
  const origin = await originOfFork(tx, { by, agent, id: source.id, forkOf }, ids)
  return origin ? { forked_from: JSON.stringify(origin) } : {}
}

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other)

async function beginPast(
  tx: Tx,
  key: string,
  { source, turns, by, route }: Piece,
  { now }: Context,
): Promise<ConversationRow> {
  const begun = earlier(turns[0]?.startedAt ?? source.updatedAt, now)
  const row = newRow('conversations', {
    key,
    kind: 'session',
    lane: key,
    project_id: route.projectId,
    agent_id: route.agentId,
    account_id: by,
    workplace: route.projectId === null ? null : 'checkout',
    title: storable(source.title) || null,
    agent_title: storable(source.title) || null,
    last_turn_at: begun,
    created_at: begun,
    updated_at: begun,
  })
  await addConversation(tx, row)
  return row
}

interface Added {
  readonly added: number
  readonly changed: ConversationRow
}

async function addTurns(
  tx: Tx,
  before: ConversationRow,
  piece: Piece,
  context: Context,
): Promise<Added> {
  const { key } = before
  let changed = before
  let added = 0
  const own = await ownTurns(tx, key, piece.turns)
  for (const turn of piece.turns) {
    const id = idOfPastTurn(key, turn.id)
    const stored = await tx.row('turns', { id })
    if (own.some((each) => isSame(each, turn))) continue
    if (stored && !goesOn(stored, turn)) continue
    changed = await addTurn(tx, changed, { ...turn, id }, stored, piece, context)
    if (!stored) added++
  }
  return { added, changed }
}

/** Whether more of a turn is known than when it was taken in: it ran, or was cut off. */
const goesOn = (before: TurnRow, { end, endedAt }: PastTurn): boolean =>
  endedAt > (before.ended_at ?? '') || (before.state === 'unknown' && end !== 'unknown')

interface OwnTurn {
  readonly texts: readonly string[]
  readonly from: number
  readonly to: number
}

/** What ran here in the time of a piece. */
async function ownTurns(
  tx: Tx,
  key: string,
  turns: readonly PastTurn[],
): Promise<readonly OwnTurn[]> {
  const times = turns.map(({ startedAt }) => Date.parse(startedAt))
  if (times.length === 0) return []
  const from = new Date(Math.min(...times) - sameTurnMs).toISOString()
  const to = new Date(Math.max(...times) + sameTurnMs).toISOString()
  return (await tx.all(selectOwnTurns, { key, from, to })).map((row) => ({
    texts: (JSON.parse(row.content) as PromptPart[]).flatMap((part) =>
      part.type === 'text' ? [part.text.trim()] : [],
    ),
    from: Date.parse(row.started_at ?? '') - sameTurnMs,
    to: row.ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.ended_at) + sameTurnMs,
  }))
}

/** The agent's own file has more around what it was asked. */
function isSame({ texts, from, to }: OwnTurn, { startedAt, prompt }: PastTurn): boolean {
  const at = Date.parse(startedAt)
  return at >= from && at <= to && texts.some((text) => text !== '' && prompt.includes(text))
}

async function addTurn(
  tx: Tx,
  before: ConversationRow,
  turn: PastTurn,
  earlierTurn: TurnRow | undefined,
  { by, source, route }: Piece,
  context: Context,
): Promise<ConversationRow> {
  const { key } = before
  const at = earlier(turn.startedAt, context.now)
  const ended = earlier(turn.endedAt, context.now)
  const { items } = await keepItems(tx, turn, earlierTurn !== undefined)
  const answer = storable(answerIn(items))
  let row = before
  let through = earlierTurn?.through_seq ?? null
  const agentId = route.agentId ?? source.agent
  if (!earlierTurn) {
    const prompt = {
      senderId: by,
      receiverId: route.agentId,
      role: 'user' as const,
      content: storable(turn.prompt),
      media: turn.media.length > 0 ? turn.media.map(attachmentOf) : null,
    }
    const written = await writeMessage(tx, row, prompt, { ...context, now: at })
    row = written.counted
    through = written.message.seq
    if (turn.takenBack) row = await hide(tx, row, through)
  }
  // One that is written anew says what it said before, and more.
  const answered = earlierTurn ? storable(answer.slice(earlierTurn.answer.length)) : answer
  if (answered !== '') {
    const message = {
      senderId: agentId,
      senderName: route.agentId === null ? nameOfPastAgent(source.agent) : undefined,
      receiverId: by,
      role: 'assistant' as const,
      content: answered,
      clientId: turn.id,
    }
    const written = await writeMessage(tx, row, message, { ...context, now: ended })
    row = written.counted
    if (turn.takenBack) row = await hide(tx, row, written.message.seq)
  }
  const past = newTurnRow({
    id: turn.id,
    conversation_key: key,
    agent_id: agentId,
    project_id: route.projectId ?? '',
    lane: before.lane,
    about: 'chat',
    through_seq: through,
    state: turn.end,
    stop_reason: turn.end === 'answered' ? 'end_turn' : null,
    error: turn.error === null ? null : storable(turn.error),
    content: JSON.stringify([{ type: 'text', text: storable(turn.prompt) }]),
    answer,
    asked_by: by,
    created_at: at,
    started_at: at,
    ended_at: ended,
  })
  await (earlierTurn ? replacePastTurn(tx, past) : addPastTurn(tx, past))
  const compacted = turn.updates.findLast((each) => each.kind === 'compaction')
  if (compacted?.kind !== 'compaction' || !compacted.summary || turn.takenBack) return row
  return {
    ...row,
    summary: storable(compacted.summary),
    summary_by: null,
    summary_through: through ?? 0,
  }
}

/** What was shown of a turn, as it is kept of those that run here. */
async function keepItems(tx: Tx, turn: PastTurn, isKnown: boolean): Promise<KeptItems> {
  if (isKnown) await tx.delete('turn_items', { turn_id: turn.id })
  let items = noItems
  for (const update of turn.updates) {
    if (update.kind === 'output') await keepOutput(tx, turn.id, update)
    else items = withUpdate(items, update)
  }
  for (const [n, { kind, ...body }] of items.items.entries())
    await tx.insert('turn_items', {
      turn_id: turn.id,
      n,
      kind,
      body: storable(JSON.stringify(body)),
    })
  return items
}

async function hide(tx: Tx, row: ConversationRow, seq: number): Promise<ConversationRow> {
  await tx.update('messages', { conversation_key: row.key, seq, rewound_by: takenBackThere })
  return {
    ...row,
    message_count: Math.max(0, row.message_count - 1),
    chapter_messages: Math.max(0, row.chapter_messages - 1),
  }
}

function attachmentOf({ mimeType, data, name }: PastTurn['media'][number]): PromptPart {
  const called = name || mimeType || 'file'
  return data !== null && mimeType.startsWith('image/')
    ? { type: 'image', mimeType, base64: data }
    : { type: 'link', name: called, uri: called }
}

/** Nothing of it is unread. */
async function finish(
  tx: Tx,
  row: ConversationRow,
  { source, route, turns }: Piece,
  context: Context,
): Promise<void> {
  const last = (await tx.first(selectLastMessage, { key: row.key }))?.seq ?? 0
  const updated = earlier(source.updatedAt, context.now)
  const title = row.titled_by === null ? storable(source.title) || row.title : row.title
  const newest = row.updated_at > updated ? row.updated_at : updated
  const { last_turn_at: at } = row
  const last_turn_at = turns.reduce((so, { startedAt }) => (startedAt > so ? startedAt : so), at)
  const changed = { title, read_through: last, last_turn_at: earlier(last_turn_at, context.now) }
  await changeConversation(tx, row, changed, newest)
  await openInPastSession(tx, row.key, { sourceId: source.id, route, updated, last }, context)
}

/** Lets its agent, where it can, go on in the session it was. */
export async function openInPastSession(
  tx: Tx,
  key: string,
  { sourceId, route, updated, last }: OwnSession,
  context: Context,
): Promise<void> {
  if (!route.canResume || route.projectId === null || route.agentId === null) return
  const contextKey = { agentId: route.agentId, projectId: route.projectId, key, originKey: '' }
  const held = await getOrCreateContext(tx, contextKey, context)
  if (held.state !== 'asleep' || (held.acp_session_id ?? sourceId) !== sourceId) return
  await changeContext(tx, held, {
    acp_session_id: sourceId,
    opened_at: held.opened_at ?? updated,
    told_through: last,
  })
}

interface OwnSession {
  readonly sourceId: string
  readonly route: PastRoute
  readonly updated: Instant
  /** The newest message, which its agent knows. */
  readonly last: number
}
