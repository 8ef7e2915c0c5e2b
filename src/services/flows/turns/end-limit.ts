/**
 * What becomes of a turn that met its agent's limit (AG6): a person's choice, and the end of the
 * limit.
 */
import { consoleKey, webKey } from '../../../domain/conversations/key.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import {
  conversationStream,
  projectStream,
  userSessionStream,
} from '../../../domain/stream-name.ts'
import type { Pair } from '../../../store/agent-sessions/agent-sessions.ts'
import { selectOccupant } from '../../../store/consoles/user-sessions.ts'
import { identityOf, rolePlaceOf } from '../../../store/conversations/conversation-identity.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { defineUseCase, type Tx } from '../../../store/store.ts'
import { selectOpenTurns } from '../../../store/turns/turns.ts'
import { type AskedUserSession, activeAgent } from '../../consoles/role-agent-record.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { currentLimit, liftLimit, setContinuation } from '../../turns/limit-record.ts'
import { beginElsewhere, beginNextTurn } from './begin-turn.ts'

interface Input {
  readonly contextId: string
  readonly conversationKey: string
  readonly projectId: string
  /** Null for a chat. */
  readonly userSessionId: string | null
  /** Set when a start of the failed agent would be refused. */
  readonly cannotStart?: boolean
}

/**
 * Ends an agent's vendor limit (AG6), and begins what waited for that. If a person chose to
 * continue, the parked turn is sent again: in a chat it is queued and starts the agent if needed;
 * in a role it runs before other queued prompts. Running this too early or twice changes nothing. A
 * failed agent that may not be started again loses its limit as well.
 */
export const endLimit = defineUseCase('end-limit', {
  scope: 'server',
  on: 'nobody',
  streams: ({ conversationKey, projectId, userSessionId }: Input) => [
    userSessionId === null ? conversationStream(conversationKey) : userSessionStream(userSessionId),
    projectStream(projectId),
  ],
  run: async (tx, { contextId, cannotStart = false }, context): Promise<{ ended: boolean }> => {
    const row = await tx.row('contexts', { id: contextId })
    if (
      !row ||
      row.state === 'ended' ||
      row.limited_until === null ||
      row.limited_until > context.now
    )
      return { ended: false }
    const place = rolePlaceOf(await identityOf(tx, row.conversation_key))
    if (!place) {
      await liftLimit(tx, row, context)
      await beginElsewhere(tx, row.project_id, context)
      return { ended: true }
    }
    const agent = await tx.first(selectOccupant, place)
    const isGone = !agent || agent.agent_id !== row.agent_id
    if (isGone || (agent.state === 'FAILED' && (cannotStart || row.goes_on_left === 0))) {
      await liftLimit(tx, { ...row, goes_on_left: 0 }, context)
      return { ended: true }
    }
    const launch = agent.launch_id === null ? undefined : await findLaunch(tx, agent.launch_id)
    if (agent.state !== 'ACTIVE' || agent.terminating_at !== null || !launch)
      return { ended: false }
    const runs = (await tx.all(selectOpenTurns, { roleAgentId: agent.id })).some(
      ({ state }) => state === 'running',
    )
    if (runs) return { ended: false }
    await liftLimit(tx, row, context)
    await beginNextTurn(tx, launch, context)
    return { ended: true }
  },
})

export interface Continuation {
  readonly goOn: boolean
  readonly by: string
  readonly requestId?: string | undefined
}

/**
 * Sets whether the agent of a chat, at its vendor's limit, retries the parked turn by itself
 * afterwards (AG6).
 */
export const goOnInChat = defineUseCase('go-on-in-chat', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId, agentId }: Pair & Continuation) => [
    conversationStream(webKey(projectId, agentId)),
    projectStream(projectId),
  ],
  run: async (tx, { projectId, agentId, ...chosen }) => {
    await checkAssigned(tx, { projectId, agentId })
    return goOnAfterLimit(tx, { projectId, agentId, key: webKey(projectId, agentId) }, chosen)
  },
})

/** The same for the agent in a role. */
export const goOnInRole = defineUseCase('go-on-in-role', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: AskedUserSession & { readonly role: string } & Continuation) => [
    userSessionStream(userSessionId),
  ],
  run: async (tx, { userSessionId, role, ...chosen }) => {
    const agent = await activeAgent(tx, { userSessionId }, role)
    const { agent_id: agentId, project_id: projectId } = agent
    return goOnAfterLimit(tx, { agentId, projectId, key: consoleKey(userSessionId, role) }, chosen)
  },
})

export async function goOnAfterLimit(
  tx: Tx,
  conversation: Pair & { readonly key: string },
  chosen: Continuation,
): Promise<{ until: Instant; goesOn: boolean; seq: number }> {
  const found = await currentLimit(tx, { ...conversation, originKey: '' })
  if (!found) throw new Refusal('wrong_state', refusalText('noLimit'))
  return {
    until: found.limited_until,
    goesOn: chosen.goOn,
    seq: await setContinuation(tx, found, chosen),
  }
}
