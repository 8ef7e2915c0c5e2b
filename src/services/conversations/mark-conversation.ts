/**
 * What a person says of a conversation: its title, for all; how far it is read, settled and
 * archived, for that person alone (UI1).
 */
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { keepArchived, keepSeen, keepSettled } from '../../store/conversations/marks.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { tellPerson, tellSession } from '../tell-session.ts'
import { withoutDraft } from './add-conversation.ts'
import {
  changeConversation,
  currentConversation,
  existingConversation,
  streamOfKey,
} from './conversation-record.ts'
import { viewFor } from './conversation-view.ts'

interface Seen {
  readonly key: string
  readonly personId: string
  readonly seq: number
  /** Dismisses and clears what was said up to there. */
  readonly settled?: boolean | undefined
}

/** Never goes back: another device may have read further. */
export const markSeen = defineUseCase('mark-seen', {
  scope: 'read',
  on: 'conversation',
  streams: ({ key }: Seen) => [streamOfKey(key)],
  run: async (tx, { settled = false, ...seen }): Promise<void> => {
    tx.lock(streamOfKey(seen.key))
    const { last_seq } = await existingConversation(tx, seen.key)
    await tx.write(keepSeen, seen)
    // What is not said yet cannot be settled.
    if (settled) await tx.write(keepSettled, { ...seen, seq: Math.min(seen.seq, last_seq) })
    tellPerson(tx, seen.key, seen.personId)
  },
})

export interface Change {
  readonly key: string
  readonly archived?: boolean | undefined
  readonly by: string
}

/** Archives a conversation for its caller, or takes it out of the archive. */
export const archiveConversation = defineUseCase('archive-conversation', {
  scope: 'read',
  on: 'conversation',
  streams: ({ key }: Change) => [streamOfKey(key)],
  run: async (tx, change): Promise<Conversation> => {
    const row = await existingConversation(tx, change.key)
    if (change.archived === undefined)
      throw new Refusal('invalid_request', refusalText('nothingToChange'), { field: 'archived' })
    await keepAsArchived(tx, row, change)
    return viewFor(tx, row, change.by)
  },
})

export async function keepAsArchived(
  tx: Tx,
  { key, last_seq }: ConversationRow,
  { archived, by: personId }: Change,
): Promise<void> {
  if (archived === undefined) return
  tx.lock(conversationStream(key))
  await tx.write(keepSeen, { key, personId, seq: 0 })
  await tx.write(keepArchived, { key, personId, seq: archived ? last_seq : null })
  tellPerson(tx, key, personId)
}

interface Titled extends Change {
  /** null: as the agent says, or the first prompt. */
  readonly title: string | null
}

/** A title that a person gave stays; the agent's no longer replace it. */
export const setTitle = defineUseCase('set-title', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Titled) => [streamOfKey(key)],
  run: async (tx, change, { now }): Promise<Conversation> => {
    const changed = await giveTitle(tx, await currentConversation(tx, change.key, now), change)
    await tellSession(tx, change.key)
    await keepAsArchived(tx, changed, change)
    return viewFor(tx, changed, change.by)
  },
})

export async function giveTitle(
  tx: Tx,
  row: ConversationRow,
  { title, by }: Pick<Titled, 'title' | 'by'>,
): Promise<ConversationRow> {
  const shown = title ?? row.agent_title
  tx.append(conversationStream(row.key), { type: 'title-set', data: { title: shown, by } })
  const titled = { title: shown, titled_by: title === null ? null : by }
  const begun = await withoutDraft(tx, row)
  return changeConversation(tx, begun, titled, row.updated_at)
}

/** The agent's own title stands where no person gave one. */
export async function keepAgentTitle(
  tx: Tx,
  row: ConversationRow,
  { title, agentId, now }: { title: string | null; agentId: string; now: Instant },
): Promise<void> {
  if (row.agent_title === title) return
  const isShown = row.titled_by === null
  if (isShown)
    tx.append(conversationStream(row.key), { type: 'title-set', data: { title, by: agentId } })
  else tx.lock(conversationStream(row.key))
  const change = { agent_title: title, ...(isShown && { title }) }
  await changeConversation(tx, row, change, isShown ? now : row.updated_at)
  if (isShown) await tellSession(tx, row.key)
}
