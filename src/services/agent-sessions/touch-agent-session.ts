/**
 * Records a call of an agent session: extends its expiry (AS6), and clears a suspicion if the call began after the exit report
 * (PX4). Appends no event. Endpoints call it only when something changes.
 */

import { expiresAtToWrite } from '../../domain/agent-sessions/expiry.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { settleSuspicion } from '../../domain/processes/process-exit.ts'
import { durationMs } from '../../domain/projects/duration.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { agentSessionFrom, changesOf, updateAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { defineUseCase } from '../../store/store.ts'
import { settingsOf } from '../projects/project-record.ts'
import { ownRow } from './agent-session-record.ts'
import { suspectOther } from './suspect-agent-session.ts'

export const touchAgentSession = defineUseCase({
  name: 'touch-agent-session',
  streams: ({ projectId }: Receiver & { calledAt: Instant }) => [projectStream(projectId)],
  run: async (tx, { calledAt, ...caller }, { now }): Promise<void> => {
    const current = agentSessionFrom(await ownRow(tx, caller))
    if (current.state === 'ended') return
    const settings = await settingsOf(tx, caller.projectId)
    const ttlMs = durationMs(settings, 'agent_session.ttl_minutes')
    const expiresAt = expiresAtToWrite(now, current.expiresAt, ttlMs)
    const graceMs = durationMs(settings, 'process_exit.grace_seconds')
    const lives = current.suspectedAt !== null && settleSuspicion(now, current.suspectedAt, calledAt, graceMs) === 'alive'
    if (expiresAt === undefined && !lives) return
    const suspectedAt = lives ? null : current.suspectedAt
    const written = lives ? later(now, ttlMs) : (expiresAt ?? current.expiresAt)
    await tx.write(updateAgentSession, changesOf({ ...current, suspectedAt, expiresAt: written }))
    if (lives) await suspectOther(tx, current, ttlMs, now)
  },
})
