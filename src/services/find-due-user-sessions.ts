/** What whoever sweeps user sessions has to look at now: a bounded number of each, the oldest first. Decides nothing. */
import { epochMs, later } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import type { ProjectSettings } from '../domain/project/settings.ts'
import { say } from '../domain/sentences.ts'
import { leavingWithinMs } from '../domain/user-session/lifecycle.ts'
import { isForsaken } from '../domain/user-session/roster.ts'
import { selectPastDeadline } from '../store/queries/approvals.ts'
import { selectLeavingSince, selectLimitedUntil, selectOccupants, selectSpawningSince } from '../store/queries/role-agents.ts'
import { selectOpenTurns } from '../store/queries/turns.ts'
import { selectDetached, selectWithoutProject } from '../store/queries/user-sessions.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { graceMs, startWithinMs } from './give-up-role-agent.ts'
import { settingsOf } from './project-settings.ts'

/** Of each kind, in one look. */
const dueAtOnce = 100
/** Of those that may be due. */
const lookedAtOnce = 1000

/** US3: why a session ends that nobody has ended. */
export const nobodyConnected = 'nobody was connected'

/** AG6. `again`: its agent has gone meanwhile and has to be there again first. */
interface LimitOver {
  readonly userSessionId: string
  readonly roleAgentId: string
  readonly again: { readonly role: string; readonly agentId: string; readonly by: string } | null
}

interface DueUserSessions {
  readonly limited: readonly LimitOver[]
  readonly roleAgents: readonly { readonly userSessionId: string; readonly roleAgentId: string }[]
  readonly approvalIds: readonly number[]
  readonly forsaken: readonly { readonly userSessionId: string; readonly reason: string }[]
}

export const findDueUserSessions = defineQuery({
  name: 'find-due-user-sessions',
  run: async (reader, _: Record<never, never>, { now }): Promise<DueUserSessions> => {
    const settings = new Map<string, ProjectSettings>()
    const settingsFor = async (projectId: string): Promise<ProjectSettings> => {
      const known = settings.get(projectId) ?? (await settingsOf(reader, projectId))
      settings.set(projectId, known)
      return known
    }
    const leaving = await reader.all(selectLeavingSince, { until: later(now, -leavingWithinMs), limit: dueAtOnce })
    const spawning: { id: string; user_session_id: string }[] = []
    for (const row of await reader.all(selectSpawningSince, { until: later(now, -graceMs), limit: lookedAtOnce })) {
      const withinMs = (await startWithinMs(reader, row.project_id, row, await settingsFor(row.project_id))) + graceMs
      if (row.started_at !== null && later(row.started_at, withinMs) <= now) spawning.push(row)
    }
    const permissions = await reader.all(selectPastDeadline, { now, limit: dueAtOnce })
    const forsaken = (await reader.all(selectWithoutProject, { limit: dueAtOnce })).map(({ id }) => ({
      userSessionId: id,
      reason: say('projectDeleted'),
    }))
    for (const row of await reader.all(selectDetached, { until: now, limit: lookedAtOnce })) {
      const allowedMs = durationMs(await settingsFor(row.project_id), 'user_session.detached_hours')
      const detachedMs = epochMs(now) - epochMs(row.attached_until)
      if (isForsaken(detachedMs, allowedMs, 0) && isForsaken(detachedMs, allowedMs, await runningIn(reader, row.id)))
        forsaken.push({ userSessionId: row.id, reason: nobodyConnected })
    }
    const limited = await reader.all(selectLimitedUntil, { until: now, limit: dueAtOnce })
    return {
      limited: limited.map((row) => ({
        userSessionId: row.user_session_id,
        roleAgentId: row.id,
        again: row.state === 'FAILED' ? { role: row.role, agentId: row.agent_id, by: row.goes_on_by ?? '' } : null,
      })),
      roleAgents: [...leaving, ...spawning].map((row) => ({ userSessionId: row.user_session_id, roleAgentId: row.id })),
      approvalIds: permissions.map(({ id }) => id),
      forsaken,
    }
  },
})

/** Also what is to go on by itself when its limit is over. */
async function runningIn(reader: Reader, userSessionId: string): Promise<number> {
  let running = 0
  for (const { id, goes_on_left: goesOn, limited_until: until } of await reader.all(selectOccupants, { userSessionId }))
    running +=
      (until === null ? 0 : goesOn) +
      (await reader.all(selectOpenTurns, { roleAgentId: id })).filter(({ state }) => state === 'running').length
  return running
}
