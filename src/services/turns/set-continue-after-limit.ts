/**
 * Sets whether an agent at its vendor's limit automatically retries the parked turn once the limit ends (AG6), in a role or a
 * chat.
 */

import { consoleKey, webKey } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, projectStream, userSessionStream } from '../../domain/stream-name.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { defineUseCase } from '../../store/store.ts'
import { activeAgent } from '../consoles/role-agent-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { currentLimit, setContinuation } from './limit-record.ts'

type Input = (Pair | { readonly userSessionId: string; readonly role: string }) & {
  readonly goOn: boolean
  readonly by: string
  readonly requestId?: string | undefined
}

export const setContinueAfterLimit = defineUseCase('set-continue-after-limit', {
  streams: (input: Input) =>
    'role' in input
      ? [userSessionStream(input.userSessionId)]
      : [conversationStream(webKey(input.projectId, input.agentId)), projectStream(input.projectId)],
  run: async (tx, input): Promise<{ until: Instant; goesOn: boolean; seq: number }> => {
    const found = await currentLimit(tx, { ...(await contextKeyOf(tx, input)), originKey: '' })
    if (!found) throw new Refusal('wrong_state', refusalText('noLimit'))
    return { until: found.limited_until, goesOn: input.goOn, seq: await setContinuation(tx, found, input) }
  },
})

async function contextKeyOf(tx: Parameters<typeof currentLimit>[0], input: Input): Promise<Pair & { key: string }> {
  if ('role' in input) {
    const { agent_id: agentId, project_id: projectId } = await activeAgent(tx, input.userSessionId, input.role)
    return { agentId, projectId, key: consoleKey(input.userSessionId, input.role) }
  }
  const { projectId, agentId } = input
  await checkAssigned(tx, { projectId, agentId })
  return { projectId, agentId, key: webKey(projectId, agentId) }
}
