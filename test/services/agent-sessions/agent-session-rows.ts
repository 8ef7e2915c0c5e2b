/**
 * Agent sessions as plain rows: chat needs them to be there, and nothing of how they come and go.
 */
import {
  begin,
  decideAgentSession,
  type EndReason,
  type Purpose,
} from '../../../src/domain/agent-sessions/lifecycle.ts'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { endTurn } from '../../../src/services/flows/turns/end-turn.ts'
import { agentSessionFrom, changesOf } from '../../../src/store/agent-sessions/agent-sessions.ts'
import { defineUseCase } from '../../../src/store/store.ts'
import { selectRunningOfSession } from '../../../src/store/turns/turns.ts'

export const placeAgentSession = defineUseCase('place-agent-session', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: { agentId: string; projectId: string; purpose: Purpose }) => [
    projectStream(projectId),
  ],
  run: async (tx, input, { now, random }) => {
    const id = random.uuid()
    const lease = { id, lane: '', ...input, launchId: null, workSessionId: null }
    const row = changesOf(begin(now, lease, 3_600_000))
    const { agentId: agent_id, projectId: project_id, purpose } = input
    const made = {
      agent_id,
      project_id,
      lane: lease.lane,
      purpose,
      launch_id: null,
      token_hash: `hash of ${id}`,
      created_at: now,
    }
    await tx.insert('agent_sessions', {
      ...row,
      ...made,
      resumed_work_session_id: null,
      context_id: null,
    })
    return { agentSessionId: id, agentId: input.agentId, projectId: input.projectId }
  },
})

export const endAgentSessionRow = defineUseCase('end-agent-session-row', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: { agentSessionId: string; projectId: string; reason: EndReason }) => [
    projectStream(projectId),
  ],
  run: async (tx, { agentSessionId, reason }, context) => {
    const row = await tx.row('agent_sessions', { id: agentSessionId })
    if (!row) return
    const decision = decideAgentSession(context.now, agentSessionFrom(row), { type: 'end', reason })
    if (decision.outcome !== 'changed') return
    await tx.update('agent_sessions', changesOf(decision.agentSession))
    for (const turn of await tx.all(selectRunningOfSession, { agentSessionId }))
      await endTurn(tx, turn, { type: 'agent-gone' }, { isAnnounced: false }, context)
  },
})
