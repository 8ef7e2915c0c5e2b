/** Ends an agent's own session (`logout`). Changes nothing if it has already ended (AS8). */
import type { EndReason } from '../../domain/agent-sessions/lifecycle.ts'
import { agentSessionFrom } from '../../store/agent-sessions/agent-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { defineUseCase } from '../../store/store.ts'
import { type EndLocks, endAgentSession, endingStreams } from './agent-session-end.ts'
import { ownRow } from './agent-session-record.ts'

export const logoutAgent = defineUseCase({
  name: 'logout-agent',
  streams: (input: Receiver & EndLocks) => endingStreams(input),
  run: async (tx, { openConversations, ...caller }, context): Promise<{ endReason: EndReason }> => {
    const current = agentSessionFrom(await ownRow(tx, caller))
    if (current.state === 'ended') return { endReason: current.endReason }
    await endAgentSession(tx, current, { reason: 'logout', openConversations }, context)
    const ended = agentSessionFrom(await ownRow(tx, caller))
    return { endReason: ended.state === 'ended' ? ended.endReason : 'logout' }
  },
})
