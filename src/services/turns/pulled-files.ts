/**
 * The files before and after a turn of an agent that pulls (FS7). Its machine is not sent the turn,
 * so it is asked: before the messages are handed out, and when the answer has come.
 */
import { conversationStream } from '../../domain/stream-name.ts'
import type { TurnFiles } from '../../protocol/turns/link.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { selectFirstState } from '../../store/turns/turn-files.ts'
import { selectRunningOfSession } from '../../store/turns/turns.ts'
import { workplaceOf } from '../conversations/conversation-workplace.ts'
import { recordFiles, stateFrom } from './turn-files.ts'

/** In the place of the machine: it was asked in vain, and what it would say now is too late. */
const nobody = ''

/** What is asked of the machine on which the running turn of an agent session is. */
export const findPulledFiles = defineQuery('find-pulled-files', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, caller: AgentCaller) => {
    const turn = await reader.first(selectRunningOfSession, caller)
    const files = turn && (await reader.row('turn_files', { turn_id: turn.id }))
    if (!files || files.coordinator_id === nobody || turn.launch_id === null) return undefined
    const folder = await folderOfLaunch(reader, turn.launch_id)
    if (folder === null) return undefined
    const { conversation_key: key, project_id: projectId, coordinator_id: coordinatorId } = files
    const first = stateFrom((await reader.first(selectFirstState, { key }))?.before_state ?? null)
    const before = stateFrom(files.before_state)?.tree
    return { turnId: turn.id, key, projectId, coordinatorId, folder, before, first: first?.tree }
  },
})

/** Where a process was started: in the place of its thread, or in the project's folder. */
async function folderOfLaunch(reader: Reader, launchId: string): Promise<string | null> {
  const launch = await findLaunch(reader, launchId)
  if (!launch) return null
  const { lane, projectId } = launch
  const thread = lane === '' ? undefined : await reader.row('conversations', { key: lane })
  if (thread) return (await workplaceOf(reader, thread))?.directory ?? null
  return (await reader.row('projects', { id: projectId }))?.path ?? null
}

interface FilesBefore {
  readonly turnId: string
  readonly key: string
  /** Null: they could not be taken. The turn goes on, and is not asked for again. */
  readonly before: TurnFiles | null
}

/** Stores the files before a turn, before its agent is told of it. */
export const keepFilesBefore = defineUseCase('keep-files-before', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: FilesBefore) => [conversationStream(key)],
  run: async (tx, { turnId, before }): Promise<void> => {
    const row = await tx.row('turn_files', { turn_id: turnId })
    if (!row || row.before_state !== null) return
    if (before) await recordFiles(tx, turnId, { before })
    else await tx.update('turn_files', { turn_id: turnId, coordinator_id: nobody })
  },
})
