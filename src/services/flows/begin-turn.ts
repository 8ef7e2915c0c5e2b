/** Starts turns that waited for another conversation's turn in the same folder (CX9). */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, projectStream, userSessionStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { selectWaitingInRoles } from '../../store/turns/turns-in-folders.ts'
import { conversationView, findWaitingTurn } from '../conversations/conversation-activity.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { nextInRole, startNext } from './send-prompt.ts'

/**
 * Lets a turn start at a person's request beside another conversation's turn in the same folder
 * (CX9).
 */
export const beginTurn = defineUseCase('begin-turn', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }): Promise<Conversation> => {
    const row = await existingConversation(tx, key)
    const turn = await findWaitingTurn(tx, key)
    if (!turn) throw new Refusal('wrong_state', refusalText('nothingWaits', { key }))
    await tx.update('turns', { id: turn.id, begins_beside: 1 })
    tx.append(conversationStream(key), { type: 'turn-begins', data: { turnId: turn.id, by } })
    return conversationView(tx, row)
  },
})

const rolesPageSize = 200

interface RoleInput {
  readonly userSessionId: string
  readonly projectId: string
  readonly roleAgentId: string
}

/**
 * Starts prompts in roles that waited for another conversation's turn in the same folder, once that
 * has ended or a person allowed both (CX9). Running this too early or twice changes nothing.
 */
export const findStartableRoles = defineQuery('find-startable-roles', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<RoleInput[]> => {
    const found: RoleInput[] = []
    for (const { id: roleAgentId } of await reader.all(selectWaitingInRoles, {
      limit: rolesPageSize,
    })) {
      const agent = await reader.row('role_agents', { id: roleAgentId })
      if (!agent || !(await nextInRole(reader, agent))) continue
      const { user_session_id: userSessionId, project_id: projectId } = agent
      found.push({ userSessionId, projectId, roleAgentId })
    }
    return found
  },
})

export const startWaitingRole = defineUseCase('start-waiting-role', {
  scope: 'server',
  on: 'nobody',
  streams: ({ userSessionId, projectId }: RoleInput) => [
    userSessionStream(userSessionId),
    projectStream(projectId),
  ],
  run: async (tx, { userSessionId, roleAgentId }, context): Promise<void> => {
    tx.lock(userSessionStream(userSessionId))
    const agent = await tx.row('role_agents', { id: roleAgentId })
    const launch = agent?.launch_id ? await findLaunch(tx, agent.launch_id) : undefined
    if (!agent || !launch || agent.state !== 'ACTIVE' || agent.terminating_at !== null) return
    await startNext(tx, agent, context)
  },
})
