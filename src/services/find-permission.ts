/** Which streams a use case about a permission has to lock (AP4). */
import { selectApproval } from '../store/queries/approvals.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { selectTurn } from '../store/queries/turns.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchApproval } from './refusals.ts'

export interface WhichPermission {
  readonly approvalId: number
  readonly projectId: string
  /** null in a chat or at a task. */
  readonly userSessionId: string | null
  readonly coordinatorId: string | null
  /** In a chat or at a task: the conversation of its turn. */
  readonly conversationKey: string | null
}

export const findPermission = defineQuery({
  name: 'find-permission',
  run: async (reader, { approvalId }: { approvalId: number }): Promise<WhichPermission> => {
    const row = await reader.first(selectApproval, { id: approvalId })
    if (!row || row.ask_id === null) throw noSuchApproval(approvalId)
    const launch = row.launch_id === null ? undefined : await findLaunch(reader, row.launch_id)
    const { project_id: projectId, user_session_id: userSessionId } = row
    const turn = userSessionId !== null || row.turn_id === null ? undefined : await reader.first(selectTurn, { id: row.turn_id })
    const coordinatorId = launch?.coordinatorId ?? null
    return { approvalId, projectId, userSessionId, coordinatorId, conversationKey: turn?.conversation_key ?? null }
  },
})
