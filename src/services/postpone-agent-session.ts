/** Moves the deadlines of a live agent session by the time in which nobody could be heard. Without an event. */
import { postponed } from '../domain/agent-session/expiry.ts'
import { durationMs } from '../domain/project/duration.ts'
import { projectStream } from '../domain/stream/name.ts'
import { agentSessionFrom, changesOf, updateAgentSession } from '../store/queries/agent-sessions.ts'
import type { DueAgentSession } from '../store/queries/due-agent-sessions.ts'
import { defineUseCase } from '../store/store.ts'
import { ownRow } from './live-agent-session.ts'
import { settingsOf } from './project-settings.ts'

export const postponeAgentSession = defineUseCase({
  name: 'postpone-agent-session',
  streams: ({ projectId }: DueAgentSession & { byMs: number }) => [projectStream(projectId)],
  run: async (tx, { byMs, ...which }, { now }): Promise<void> => {
    const current = agentSessionFrom(await ownRow(tx, which))
    if (current.state === 'ended') return
    const ttlMs = durationMs(await settingsOf(tx, which.projectId), 'agent_session.ttl_minutes')
    await tx.write(updateAgentSession, changesOf(postponed(now, current, byMs, ttlMs)))
  },
})
