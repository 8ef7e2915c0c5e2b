/**
 * Records a call of an agent session: extends its expiry (AS6), and clears a suspicion if the call began after the exit report
 * (PX4). Appends no event. Endpoints call it only when something changes.
 */

import { expiresAtToWrite } from '../../domain/agent-sessions/expiry.ts'
import type { LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { nextSuspect, settleSuspicion } from '../../domain/processes/process-exit.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { projectStream } from '../../domain/stream-name.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  changesOf,
  liveOfPair,
  updateAgentSession,
} from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { settingsOf } from '../projects/project-record.ts'
import { ownRow } from './agent-session-record.ts'

// Marks agent sessions whose process may have exited (PX4), and moves the suspicion on when the suspect proves alive.

/**
 * Marks a session as suspected. It ends unless a call begins within the grace period; the sweeper checks that. The calling use
 * case locks the project's stream.
 */
export async function suspect(tx: Tx, agentSession: LiveAgentSession, now: Instant): Promise<void> {
  const suspected = { ...agentSession, suspectedAt: now }
  await tx.write(updateAgentSession, changesOf(suspected))
  const data = { agentSession: agentSessionOf(suspected) }
  tx.append(projectStream(agentSession.projectId), { type: 'agent-session-suspected', data })
}

/** Suspects another session of the pair, because this one is alive. */
export async function suspectOther(tx: Tx, alive: LiveAgentSession, ttlMs: number, now: Instant): Promise<void> {
  if (alive.suspectedAt === null) return
  const others = []
  for (const other of await liveOfPair(tx, alive))
    if (other.id !== alive.id && other.suspectedAt === null)
      others.push({ ...other, heardAt: later(other.expiresAt, -ttlMs), processKnownToLive: await isKnownToLive(tx, other) })
  const next = nextSuspect(alive.suspectedAt, others)
  if (next) await suspect(tx, next, now)
}

/** AS6: whether its launch is recorded as running. */
export async function isKnownToLive(reader: Reader, { launchId }: Pick<LiveAgentSession, 'launchId'>): Promise<boolean> {
  const launch = launchId === null ? undefined : await findLaunch(reader, launchId)
  return launch !== undefined && launch.state !== 'ended'
}

export const touchAgentSession = defineUseCase('touch-agent-session', {
  streams: ({ projectId }: AgentCaller & { calledAt: Instant }) => [projectStream(projectId)],
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
