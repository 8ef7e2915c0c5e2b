/**
 * Adds conversations: each with its file name, and with the event that tells of it, which a draft
 * has only once something is said in it.
 */
import { claimOf, threadIdLength, threadKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import {
  type ConversationRow,
  conversationOf,
  selectHolderOf,
} from '../../store/conversations/conversations.ts'
import { newRow } from '../../store/rows.ts'
import type { Context, Tx } from '../../store/store.ts'

export async function addConversation(tx: Tx, row: ConversationRow): Promise<void> {
  await tx.insert('conversations', row)
  await claimName(tx, row.key)
  if (row.draft === 0) tellOfConversation(tx, row)
}

const tellOfConversation = (tx: Tx, row: ConversationRow): number =>
  tx.append(conversationStream(row.key), {
    type: 'conversation-created',
    data: { conversation: conversationOf(row) },
  })

/** Tells of a draft with the first thing that is said in it, or with its title. */
export async function withoutDraft(tx: Tx, row: ConversationRow): Promise<ConversationRow> {
  if (row.draft === 0) return row
  const begun = { ...row, draft: 0 }
  await tx.update('conversations', { key: row.key, draft: 0 })
  tellOfConversation(tx, begun)
  return begun
}

export const drawThreadKey = ({ random }: Pick<Context, 'random'>): string =>
  threadKey(random.text(threadIdLength))

type Given =
  | 'title'
  | 'titled_by'
  | 'workplace'
  | 'workplace_folder'
  | 'account_id'
  | 'forked_from'
  | 'summary'
  | 'summary_by'
  | 'agents'
  | 'continued_from'

interface AddedThread extends Partial<Pick<ConversationRow, Given>> {
  readonly key: string
  readonly projectId: string
  readonly agentId: string
  /** Nothing is said in it yet, and it has no title. */
  readonly isDraft?: boolean
}

/** Adds a session. Every one begins here, forks too. */
export async function addThread(
  tx: Tx,
  { key, projectId, agentId, isDraft = false, ...given }: AddedThread,
  now: Instant,
): Promise<ConversationRow> {
  tx.lock(conversationStream(key))
  const row = newRow('conversations', {
    key,
    kind: 'session',
    lane: key,
    project_id: projectId,
    agent_id: agentId,
    draft: isDraft ? 1 : 0,
    ...given,
    created_at: now,
    updated_at: now,
    last_turn_at: now,
  })
  await addConversation(tx, row)
  return row
}

/**
 * Claims the plain file name for the first conversation that needs it (CV6). On a race the other
 * one runs again.
 */
async function claimName(tx: Tx, key: string): Promise<void> {
  const name = claimOf(key)
  if (name === undefined || (await tx.first(selectHolderOf, { name }))) return
  await tx.insert('conversation_names', { name, conversation_key: key })
}
