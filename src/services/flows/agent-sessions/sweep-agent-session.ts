/** Records that agent sessions live, and ends those that are due. */

import { expiresAtToWrite, postponed, sweep } from '../../../domain/agent-sessions/expiry.ts'
import type { EndReason, LiveAgentSession } from '../../../domain/agent-sessions/lifecycle.ts'
import { type Instant, later } from '../../../domain/instant.ts'
import { nextSuspect, settleSuspicion } from '../../../domain/processes/process-exit.ts'
import { durationMs } from '../../../domain/projects/settings.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  liveOfPair,
} from '../../../store/agent-sessions/agent-sessions.ts'
import type { DueAgentSession } from '../../../store/agent-sessions/due-agent-sessions.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import { setMeta } from '../../../store/meta.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { selectRunningOfSession } from '../../../store/turns/turns.ts'
import { ownRow } from '../../agent-sessions/agent-session-record.ts'
import { moveAgentSession } from '../../agent-sessions/move-agent-session.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { settingsOf } from '../../projects/project-record.ts'
import { endAgentSession } from './end-agent-session.ts'

// Marks agent sessions whose process may have exited (PX4), and moves the suspicion on when the
// suspect proves alive.

/** Marks a session as suspected: it ends unless a call begins within the grace period. */
export async function suspect(tx: Tx, agentSession: LiveAgentSession, now: Instant): Promise<void> {
  const suspected = { ...agentSession, suspectedAt: now }
  await moveAgentSession(tx, suspected)
  const data = { agentSession: agentSessionOf(suspected) }
  tx.append(projectStream(agentSession.projectId), { type: 'agent-session-suspected', data })
}

/** Suspects another session of the pair, because this one is alive. */
export async function suspectOther(
  tx: Tx,
  alive: LiveAgentSession,
  ttlMs: number,
  now: Instant,
): Promise<void> {
  if (alive.suspectedAt === null) return
  const others = []
  for (const other of await liveOfPair(tx, alive))
    if (other.id !== alive.id && other.suspectedAt === null)
      others.push({
        ...other,
        heardAt: later(other.expiresAt, -ttlMs),
        processKnownToLive: await isKnownToLive(tx, other),
      })
  const next = nextSuspect(alive.suspectedAt, others)
  if (next) await suspect(tx, next, now)
}

/** AS6: whether its launch is recorded as running. */
export async function isKnownToLive(
  reader: Reader,
  { launchId }: Pick<LiveAgentSession, 'launchId'>,
): Promise<boolean> {
  const launch = launchId === null ? undefined : await findLaunch(reader, launchId)
  return launch !== undefined && launch.state !== 'ended'
}

/**
 * Records a call of an agent session: extends its expiry (AS6), and clears a suspicion if the call
 * began after the exit report (PX4). Appends no event. Endpoints call it only when something
 * changes.
 */
export const touchAgentSession = defineUseCase('touch-agent-session', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: AgentCaller & { calledAt: Instant }) => [projectStream(projectId)],
  run: async (tx, { calledAt, ...caller }, { now }): Promise<void> => {
    const current = agentSessionFrom(await ownRow(tx, caller))
    if (current.state === 'ended') return
    const settings = await settingsOf(tx, caller.projectId)
    const ttlMs = durationMs(settings, 'agent_session.ttl_minutes')
    const expiresAt = expiresAtToWrite(now, current.expiresAt, ttlMs)
    const graceMs = durationMs(settings, 'process_exit.grace_seconds')
    const lives =
      current.suspectedAt !== null &&
      settleSuspicion(now, current.suspectedAt, calledAt, graceMs) === 'alive'
    if (expiresAt === undefined && !lives) return
    const suspectedAt = lives ? null : current.suspectedAt
    const written = lives ? later(now, ttlMs) : (expiresAt ?? current.expiresAt)
    await moveAgentSession(tx, { ...current, suspectedAt, expiresAt: written })
    if (lives) await suspectOther(tx, current, ttlMs, now)
  },
})

interface SweepInput extends DueAgentSession {
  /** When its last known call began. */
  readonly lastSeenAt: Instant | null
}

/**
 * Ends an agent session if it is due (AS6, NA5, PX4). Running this twice or too early changes
 * nothing.
 */
export const sweepAgentSession = defineUseCase('sweep-agent-session', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: SweepInput) => [home, projectStream(projectId)],
  run: async (tx, input, context): Promise<{ ended: EndReason | null }> => {
    const current = agentSessionFrom(await ownRow(tx, input))
    if (current.state === 'ended') return { ended: null }
    const verdict = await judge(tx, current, input.lastSeenAt, context.now)
    if ('reason' in verdict) {
      const { reason } = verdict
      // CO3: the process is stopped too, so that no second one runs beside it.
      const launch =
        verdict.stopsProcess && current.launchId
          ? await findLaunch(tx, current.launchId)
          : undefined
      if (launch) await stopLaunch(tx, launch, { reason: 'finished' }, context)
      await endAgentSession(tx, current, reason, context)
      return { ended: reason }
    }
    await writeDeadlines(tx, current, verdict)
    if (verdict.suspectedAt === null) await suspectOther(tx, current, verdict.ttlMs, context.now)
    return { ended: null }
  },
})

type Extended = Pick<LiveAgentSession, 'expiresAt' | 'suspectedAt'> & { readonly ttlMs: number }
type Verdict = { readonly reason: EndReason; readonly stopsProcess: boolean } | Extended

async function judge(
  reader: Reader,
  current: LiveAgentSession,
  lastSeenAt: Instant | null,
  now: Instant,
): Promise<Verdict> {
  const settings = await settingsOf(reader, current.projectId)
  const graceMs = durationMs(settings, 'process_exit.grace_seconds')
  const ttlMs = durationMs(settings, 'agent_session.ttl_minutes')
  const suspicion =
    current.suspectedAt && settleSuspicion(now, current.suspectedAt, lastSeenAt, graceMs)
  if (suspicion === 'orphaned') return { reason: 'orphaned', stopsProcess: false }
  const hasRunningTurn =
    (await reader.first(selectRunningOfSession, { agentSessionId: current.id })) !== undefined
  const facts = {
    ttlMs,
    processKnownToLive: await isKnownToLive(reader, current),
    lastSeenAt,
    hasRunningTurn,
  }
  const decision = sweep(now, current, facts)
  if (decision.outcome === 'end') return decision
  const lives = suspicion === 'alive'
  const expiresAt = decision.outcome === 'extend' ? decision.expiresAt : current.expiresAt
  return {
    // Stored, so that the same report does not raise suspicion again.
    expiresAt: lives ? later(now, ttlMs) : expiresAt,
    suspectedAt: lives ? null : current.suspectedAt,
    ttlMs,
  }
}

async function writeDeadlines(
  tx: Tx,
  current: LiveAgentSession,
  { expiresAt, suspectedAt }: Extended,
): Promise<void> {
  if (expiresAt === current.expiresAt && suspectedAt === current.suspectedAt) return
  await moveAgentSession(tx, { ...current, expiresAt, suspectedAt })
}

/**
 * Extends the deadlines of a live agent session by the time in which the server could not receive
 * calls. Appends no event.
 */
export const postponeAgentSession = defineUseCase('postpone-agent-session', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: DueAgentSession & { byMs: number }) => [projectStream(projectId)],
  run: async (tx, { byMs, ...which }, { now }): Promise<void> => {
    const current = agentSessionFrom(await ownRow(tx, which))
    if (current.state === 'ended') return
    const ttlMs = durationMs(await settingsOf(tx, which.projectId), 'agent_session.ttl_minutes')
    await moveAgentSession(tx, postponed(now, current, byMs, ttlMs))
  },
})

/** Records the time of the sweep, so that downtime is known after a restart. */
export const recordSweep = defineUseCase('record-sweep', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> =>
    tx.write(setMeta, { key: 'agent_sessions_swept_at', value: now }),
})
