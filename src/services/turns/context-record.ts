/**
 * Reads and writes contexts (CX1, CX2). A context whose conversation moved to another generation is
 * ended when the next turn needs it. What one is told is in primer-record.ts.
 */
import { consoleKey } from '../../domain/conversations/key.ts'
import { conversationStream, userSessionStream } from '../../domain/stream-name.ts'
import type { ContextEndReason, HeldContext } from '../../domain/turns/lifecycle.ts'
import type { TurnOrder } from '../../protocol/turns/link.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import { newRow } from '../../store/rows.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  type ContextRow,
  noLimit,
  selectContextOf,
  selectLeft,
} from '../../store/turns/contexts.ts'
import { addContext, changeContext, endContext } from './move-context.ts'

export interface ContextKey {
  readonly agentId: string
  readonly projectId: string
  readonly key: string
  readonly originKey: string
}

export const roleContextKey = (agent: RoleAgentRow): ContextKey => ({
  agentId: agent.agent_id,
  projectId: agent.project_id,
  key: consoleKey(agent.user_session_id, agent.role),
  originKey: '',
})

/** A context is decided under the lock of its conversation; in a role, of its user session. */
export async function lockContext(tx: Tx, key: string): Promise<void> {
  const { userSessionId } = await identityOf(tx, key)
  tx.lock(userSessionId === null ? conversationStream(key) : userSessionStream(userSessionId))
}

/**
 * Returns the agent's context in a conversation. Creates one if there is none, if its generation is
 * over, or if `ended` gives a reason to replace it. The vendor's limit carries over to the new
 * context.
 */
export async function getOrCreateContext(
  tx: Tx,
  contextKey: ContextKey,
  { now, random }: Context,
  ended?: ContextEndReason,
): Promise<ContextRow> {
  await lockContext(tx, contextKey.key)
  const found = await tx.first(selectContextOf, contextKey)
  const generation = (await tx.row('conversations', { key: contextKey.key }))?.generation ?? 0
  const isOver = found?.generation === generation ? ended : 'generation'
  if (found && !isOver) return found
  if (found && isOver) await endContext(tx, found, isOver, now)
  const { limited_until, limited_turn_id, goes_on_by, goes_on_left } = found ?? noLimit
  const row = newRow('contexts', {
    id: random.uuid(),
    agent_id: contextKey.agentId,
    project_id: contextKey.projectId,
    conversation_key: contextKey.key,
    origin_key: contextKey.originKey,
    generation,
    created_at: now,
    limited_until,
    limited_turn_id,
    goes_on_by,
    goes_on_left,
    offers: found?.offers ?? null,
  })
  await addContext(tx, row)
  return row
}

/** How to open a context: by its own ACP session, else as a fork of another (AC12), else new. */
export const acpSessionToOpen = ({ acp_session_id, fork_of, opened_at }: ContextRow) => ({
  acpSessionId: acp_session_id ?? fork_of,
  lastOpenedAt: opened_at,
  ...(acp_session_id === null && fork_of !== null && { forks: true }),
})

/** ACP sessions of an agent that are let go with one turn. */
const maxLeft = 20

/**
 * AC12: the ACP sessions of contexts that have ended: closed where they are open, deleted with
 * their conversation. Named once.
 */
export async function leaveSessions(tx: Tx, agentId: string): Promise<Pick<TurnOrder, 'leave'>> {
  const left = await tx.all(selectLeft, { agentId, limit: maxLeft })
  for (const row of left) await changeContext(tx, row, { acp_session_id: null })
  const leave = left.map(({ acp_session_id, end_reason }) => ({
    acpSessionId: acp_session_id ?? '',
    isDeleted: end_reason === 'deleted',
  }))
  return left.length === 0 ? {} : { leave }
}

/**
 * Facts about a context for choosing the next dispatch. `isOver`: the conversation has moved to
 * another generation.
 */
export async function contextFacts(reader: Reader, row: ContextRow): Promise<HeldContext> {
  const generation =
    (await reader.row('conversations', { key: row.conversation_key }))?.generation ?? 0
  return {
    conversationKey: row.conversation_key,
    originKey: row.origin_key,
    isOpen: row.state === 'open',
    hasRunningTurn: false,
    isOver: row.state === 'ended' || row.generation !== generation,
  }
}
