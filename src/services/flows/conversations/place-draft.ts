/**
 * Chooses where a session will work that nobody has asked anything yet (SN7). A process that came
 * before the first message was begun in the place before, and goes.
 */
import type { Scope } from '../../../domain/access/scopes.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import type { WorkspaceChoice } from '../../../protocol/conversations/conversation-workspace.ts'
import { defineUseCase } from '../../../store/store.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { chooseWorkplace } from '../../conversations/conversation-workplace.ts'
import { requireAgentChat } from '../../conversations/next-agent.ts'
import { tellSession } from '../../tell-session.ts'
import { releaseProcesses } from './continue-with-agent.ts'

interface Input {
  readonly key: string
  readonly workplace: WorkspaceChoice
  readonly by: string
  readonly scopes: readonly Scope[]
}

export const placeDraft = defineUseCase('place-draft', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Input) => [streamOfKey(key)],
  run: async (tx, { key, ...chosen }, context): Promise<void> => {
    const row = requireAgentChat(await existingConversation(tx, key))
    const placed = await chooseWorkplace(tx, row, { ...chosen, now: context.now })
    if (placed === row) return
    tx.lock(projectStream(row.project_id))
    await releaseProcesses(tx, row, context)
    await tellSession(tx, key)
  },
})
