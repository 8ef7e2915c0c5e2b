/**
 * Looks at one agent session whose time may have come and ends it if so (AS6, NA5, PX4). Asked twice, or too early, it changes
 * nothing.
 */
import { settleSuspicion } from '../domain/agent-process/process-exit.ts'
import { sweep } from '../domain/agent-session/expiry.ts'
import type { EndReason, LiveAgentSession } from '../domain/agent-session/lifecycle.ts'
import type { Instant } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { agentSessionFrom, changesOf, updateAgentSession } from '../store/queries/agent-sessions.ts'
import type { DueAgentSession } from '../store/queries/due-agent-sessions.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { defineUseCase, type Reader, type Tx } from '../store/store.ts'
import { endAgentSession, endingStreams, type MayEnd } from './agent-session-end.ts'
import { ownRow } from './live-agent-session.ts'
import { settingsOf } from './project-settings.ts'

interface Look extends DueAgentSession, MayEnd {
  /** When the last call on it began, as far as this server remembers. */
  readonly lastSeenAt: Instant | null
}

export const sweepAgentSession = defineUseCase({
  name: 'sweep-agent-session',
  streams: (input: Look) => endingStreams(input),
  run: async (tx, input, context): Promise<{ ended: EndReason | null }> => {
    const current = agentSessionFrom(await ownRow(tx, input))
    if (current.state === 'ended') return { ended: null }
    const verdict = await judge(tx, current, input.lastSeenAt, context.now)
    if ('reason' in verdict) {
      const { reason } = verdict
      await endAgentSession(tx, current, { reason, openConversations: input.openConversations }, context)
      return { ended: reason }
    }
    await keep(tx, current, verdict)
    return { ended: null }
  },
})

type Kept = Pick<LiveAgentSession, 'expiresAt' | 'suspectedAt'>
type Verdict = { readonly reason: EndReason } | Kept

async function judge(reader: Reader, current: LiveAgentSession, lastSeenAt: Instant | null, now: Instant): Promise<Verdict> {
  const settings = await settingsOf(reader, current.projectId)
  const graceMs = durationMs(settings, 'process_exit.grace_seconds')
  const ttlMs = durationMs(settings, 'agent_session.ttl_minutes')
  const suspicion = current.suspectedAt && settleSuspicion(now, current.suspectedAt, lastSeenAt, graceMs)
  if (suspicion === 'orphaned') return { reason: 'orphaned' }
  const decision = sweep(now, current, { ttlMs, processKnownToLive: await isKnownToLive(reader, current), lastSeenAt })
  if (decision.outcome === 'end') return { reason: decision.reason }
  return {
    expiresAt: decision.outcome === 'extend' ? decision.expiresAt : current.expiresAt,
    suspectedAt: suspicion === 'alive' ? null : current.suspectedAt,
  }
}

/** AS6: its launch is on record as running. Nobody has reported its exit, and nobody has taken over from its coordinator. */
async function isKnownToLive(reader: Reader, { launchId }: LiveAgentSession): Promise<boolean> {
  const launch = launchId === null ? undefined : await findLaunch(reader, launchId)
  return launch !== undefined && launch.state !== 'ended'
}

async function keep(tx: Tx, current: LiveAgentSession, { expiresAt, suspectedAt }: Kept): Promise<void> {
  if (expiresAt === current.expiresAt && suspectedAt === current.suspectedAt) return
  await tx.write(updateAgentSession, changesOf({ ...current, expiresAt, suspectedAt }))
}
