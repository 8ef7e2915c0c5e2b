/**
 * Gives a session that was taken in a project, and shares it (IM10): each once. A project while it
 * has none; sharing is its person's alone. Nothing may run in it then: its process was begun with
 * what is the person's own (SB12).
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { Conversation } from '../../../protocol/conversations/conversation.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import {
  giveMessagesProject,
  giveTurnsProject,
  selectImportedBy,
} from '../../../store/conversations/imported-sessions.ts'
import { selectLastMessage } from '../../../store/conversations/messages.ts'
import { forgetConversation } from '../../../store/conversations/search.ts'
import { liveLaunchesIn } from '../../../store/processes/launches.ts'
import type { Tables } from '../../../store/schema/tables.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { selectOpenIn } from '../../../store/turns/turns.ts'
import {
  changeConversation,
  existingConversation,
  streamOfKey,
} from '../../conversations/conversation-record.ts'
import { viewFor } from '../../conversations/conversation-view.ts'
import { routeTo } from '../../conversations/imported-session.ts'
import { type Change, giveTitle, keepAsArchived } from '../../conversations/mark-conversation.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { noSuchProject } from '../../refusals.ts'
import { tellSession } from '../../tell-session.ts'
import { shareWorktreesOf } from '../../worktrees/worktree-record.ts'
import { openInPastSession } from './take-past-piece.ts'

interface Placed extends Change {
  readonly projectId?: string | undefined
  readonly shared?: boolean | undefined
  /** As in set-title. */
  readonly title?: string | null | undefined
}

type Imported = Tables['imported_sessions']

export const placeImported = defineUseCase('place-imported', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key, projectId }: Placed) => [
    streamOfKey(key),
    ...(projectId === undefined ? [] : [projectStream(projectId)]),
  ],
  run: async (tx, change, context): Promise<Conversation> => {
    const { key, projectId, shared, title, by } = change
    if (shared === false) throw new Refusal('sharing_stays')
    let row = await existingConversation(tx, key)
    const imported = await tx.first(selectImportedBy, { key })
    if (!imported) throw new Refusal('wrong_state', refusalText('notImported', { key }))
    if (projectId !== undefined) row = await giveProject(tx, row, imported, change, context)
    if (shared) row = await share(tx, row, imported, by, context)
    if (title !== undefined) row = await giveTitle(tx, row, { title, by })
    await tellSession(tx, key)
    await keepAsArchived(tx, row, change)
    return viewFor(tx, row, by)
  },
})

interface Prompted {
  readonly projectId?: string | undefined
  /** Who is to answer, where the project has no agent of its program. */
  readonly toAgentId?: string | null | undefined
  readonly by: string
}

/** IM13: the first message to one without a project gives it the message's, in one step. */
export async function placeWithPrompt(
  tx: Tx,
  row: ConversationRow,
  { projectId, toAgentId, by }: Prompted,
  context: Context,
): Promise<ConversationRow> {
  if (row.project_id !== null || projectId === undefined) return row
  const imported = await tx.first(selectImportedBy, { key: row.key })
  if (!imported) return row
  tx.lock(projectStream(projectId))
  const placed = await giveProject(tx, row, imported, { key: row.key, projectId, by }, context)
  if (toAgentId == null || placed.agent_id !== null) return placed
  return changeConversation(tx, placed, { agent_id: toAgentId }, placed.updated_at)
}

const givenAlready = (field: 'projectId' | 'shared'): Refusal =>
  new Refusal('wrong_state', refusalText('givenOnce', { field }), { field })

async function giveProject(
  tx: Tx,
  row: ConversationRow,
  imported: Imported,
  { projectId = '', by }: Placed,
  context: Context,
): Promise<ConversationRow> {
  const { key } = row
  if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  if (row.project_id !== null) throw givenAlready('projectId')
  const route = await routeTo(tx, projectId, imported)
  const place = { project_id: projectId, agent_id: route.agentId, workplace: 'checkout' as const }
  tx.append(conversationStream(key), { type: 'project-given', data: { projectId, by } })
  const changed = await changeConversation(tx, row, place, row.updated_at)
  await tx.write(giveTurnsProject, { key, projectId })
  await tx.write(giveMessagesProject, { key, projectId })
  // A search in a project asks the index for it.
  await forgetConversation(tx, key)
  const last = (await tx.first(selectLastMessage, { key }))?.seq ?? 0
  const own = { sourceId: imported.source_id, route, updated: row.updated_at, last }
  await openInPastSession(tx, key, own, context)
  return changed
}

async function share(
  tx: Tx,
  row: ConversationRow,
  { account_id }: Imported,
  by: string,
  context: Context,
): Promise<ConversationRow> {
  const { key, lane } = row
  if (by !== account_id) throw new Refusal('not_yours')
  if (row.account_id === null) throw givenAlready('shared')
  const [open] = await tx.all(selectOpenIn, { key, limit: 1 })
  if (open) throw new Refusal('wrong_state', refusalText('closeWorks', { key }), { key })
  if (row.project_id !== null) {
    tx.lock(projectStream(row.project_id))
    for (const launch of await liveLaunchesIn(tx, lane))
      await stopLaunch(tx, launch, { reason: 'finished' }, context)
    await shareWorktreesOf(tx, key)
  }
  tx.append(conversationStream(key), { type: 'conversation-shared', data: { by } })
  return changeConversation(tx, row, { account_id: null }, row.updated_at)
}
