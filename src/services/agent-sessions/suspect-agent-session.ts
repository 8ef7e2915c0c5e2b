/** Marks agent sessions whose process may have exited (PX4), and moves the suspicion on when the suspect proves alive. */

import type { LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { nextSuspect } from '../../domain/processes/process-exit.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { agentSessionOf, changesOf, liveOfPair, updateAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Reader, Tx } from '../../store/store.ts'

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
