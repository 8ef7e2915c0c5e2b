/**
 * What a connection's tools are for (MC5): only those that its purpose needs are listed and run.
 */
import { isWork } from '../../domain/conversations/key.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineQuery } from '../../store/store.ts'

/**
 * `any`: people, scripts, coordinators and agents that pull. The others are agents that are
 * prompted: their messages and tasks come as prompts, so they need no tools to fetch them.
 */
export type ToolPurpose = 'any' | 'chat' | 'task' | 'role'

interface ToolsCaller {
  readonly launchId: string
  readonly contextId: string | undefined
}

export const findToolPurpose = defineQuery('find-tool-purpose', {
  scope: 'anybody',
  on: 'caller',
  run: async (reader, { launchId, contextId }: ToolsCaller): Promise<ToolPurpose> => {
    const launch = await findLaunch(reader, launchId)
    const agent = launch && (await reader.row('agents', { id: launch.agentId }))
    if (!launch || agent?.protocol !== 'acp') return 'any'
    if (launch.roleAgentId !== null) return 'role'
    const context =
      contextId === undefined ? undefined : await reader.row('contexts', { id: contextId })
    // An agent whose connection names no context may be at a task.
    const isChat =
      context?.launch_id === launchId &&
      !isWork((await identityOf(reader, context.conversation_key)).kind)
    return isChat ? 'chat' : 'task'
  },
})
