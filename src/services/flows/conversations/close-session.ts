/**
 * Closes a session for everybody (SL6): its process ends and its place goes. It is still read and
 * forked, and a message opens it again. The place is asked for and removed in between
 * (server/worktrees/close-session.ts), on the machine that has it.
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { Conversation } from '../../../protocol/conversations/conversation.ts'
import { type ConversationRow, selectInFolder } from '../../../store/conversations/conversations.ts'
import { liveLaunchesIn } from '../../../store/processes/launches.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../../store/store.ts'
import { selectOpenIn } from '../../../store/turns/turns.ts'
import { selectOfConversation, type WorktreeRow } from '../../../store/worktrees/worktrees.ts'
import {
  changeConversation,
  existingConversation,
  streamOfKey,
} from '../../conversations/conversation-record.ts'
import { viewFor } from '../../conversations/conversation-view.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { tellSession } from '../../tell-session.ts'

/** A session that was begun, and in which nothing runs or waits. */
async function idleSession(reader: Reader, key: string): Promise<ConversationRow> {
  streamOfKey(key)
  const row = await existingConversation(reader, key)
  if (row.kind !== 'session') throw new Refusal('wrong_state', refusalText('notClosable', { key }))
  const [open] = await reader.all(selectOpenIn, { key, limit: 1 })
  if (open) throw new Refusal('wrong_state', refusalText('closeWorks', { key }), { key })
  return row
}

/** The worktree that goes with a session; null: it works in a folder that is somebody's. */
export const findPlaceToClose = defineQuery('find-place-to-close', {
  scope: 'write',
  on: 'conversation',
  run: async (
    reader,
    { key }: { key: string },
  ): Promise<{ projectId: string; worktreeId: string | null }> => {
    const projectId = (await idleSession(reader, key)).project_id ?? ''
    const place = await reader.first(selectOfConversation, { key })
    const goes = place?.kind === 'worktree' && !(await isUsed(reader, projectId, place))
    return { projectId, worktreeId: goes ? place.id : null }
  },
})

/** Whether another session was begun in it. */
async function isUsed(
  reader: Reader,
  projectId: string,
  { folder, top }: Pick<WorktreeRow, 'folder' | 'top'>,
): Promise<boolean> {
  for (const each of new Set([folder, top]))
    if (await reader.first(selectInFolder, { projectId, folder: each })) return true
  return false
}

/** Ends the process of a session, which it has for itself. */
export const stopIdleSession = defineUseCase('stop-idle-session', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, context): Promise<void> => {
    const row = await idleSession(tx, key)
    tx.lock(projectStream(row.project_id ?? ''))
    for (const launch of await liveLaunchesIn(tx, row.lane))
      await stopLaunch(tx, launch, { reason: 'finished' }, context)
  },
})

/** Whether the processes of a session have ended. */
export const hasStopped = defineQuery('has-stopped', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { key }: { key: string }): Promise<true | undefined> => {
    const { lane } = await existingConversation(reader, key)
    return (await liveLaunchesIn(reader, lane)).length === 0 ? true : undefined
  },
})

export const closeSession = defineUseCase('close-session', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }, { now }): Promise<Conversation> => {
    const row = await idleSession(tx, key)
    if (row.state === 'closed') return viewFor(tx, row, by)
    const closed = await changeConversation(tx, row, { state: 'closed' }, now)
    tx.append(conversationStream(key), { type: 'conversation-closed', data: { by } })
    await tellSession(tx, key)
    return viewFor(tx, closed, by)
  },
})

/** What is said in a closed session opens it again. */
export async function reopened(
  tx: Tx,
  row: ConversationRow,
  by: string,
  { now }: Pick<Context, 'now'>,
): Promise<ConversationRow> {
  if (row.state === 'open') return row
  tx.append(conversationStream(row.key), { type: 'conversation-reopened', data: { by } })
  return changeConversation(tx, row, { state: 'open' }, now)
}
