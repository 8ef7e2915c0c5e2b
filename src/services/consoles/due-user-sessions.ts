/** Finds what is due in user sessions, oldest first, up to a limit each. The use cases decide. */

import { isAbandoned, leavingWithinMs } from '../../domain/consoles/lifecycle.ts'
import { epochMs, type Instant, later } from '../../domain/instant.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import {
  selectAsleepWithWork,
  selectDetached,
  selectLeavingSince,
  selectOccupant,
  selectOccupants,
  selectSpawningSince,
  selectWakingSince,
  selectWithoutProject,
} from '../../store/consoles/user-sessions.ts'
import { identityOf, rolePlaceOf } from '../../store/conversations/conversation-identity.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectLimitedUntil } from '../../store/turns/contexts.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { settingsOf } from '../projects/project-record.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { currentLimit } from '../turns/limit-record.ts'
import { graceMs, isIdle, startWithinMs } from './role-agent-record.ts'

/** Results of each kind. */
const dueLimit = 100
/** Candidates checked in one query. */
const candidateLimit = 1000

/** US3: the reasons of an automatic end. */
export const endReasons = {
  detached: statusNotice('nobodyConnected'),
  projectDeleted: statusNotice('projectDeleted'),
}

/** AG6: a limit that ended. `again` names a role whose failed agent must be spawned first. */
export interface EndedLimit {
  readonly contextId: string
  readonly conversationKey: string
  readonly projectId: string
  /** Null for a chat. */
  readonly userSessionId: string | null
  readonly again: { readonly role: string; readonly agentId: string; readonly by: string } | null
}

interface DueRoleAgent {
  readonly userSessionId: string
  readonly roleAgentId: string
}

/** Agents that do not exit, or do not get ready, in time (AG2). */
export const findOverdueRoleAgents = defineQuery('find-overdue-role-agents', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<DueRoleAgent[]> => {
    const overdue = await reader.all(selectLeavingSince, {
      until: later(now, -leavingWithinMs),
      limit: dueLimit,
    })
    const begun = { until: later(now, -graceMs), limit: candidateLimit }
    const starting = [
      ...(await reader.all(selectSpawningSince, begun)),
      ...(await reader.all(selectWakingSince, begun)),
    ]
    const settingsFor = settingsOfProjects(reader)
    for (const row of starting) {
      const settings = await settingsFor(row.project_id)
      const withinMs = (await startWithinMs(reader, row.project_id, row, settings)) + graceMs
      if (row.started_at !== null && later(row.started_at, withinMs) <= now) overdue.push(row)
    }
    return overdue.map((row) => ({ userSessionId: row.user_session_id, roleAgentId: row.id }))
  },
})

interface NeededRoleAgent extends DueRoleAgent {
  readonly role: string
  readonly agentId: string
}

/** AG7: sleeping agents with queued prompts. */
export const findNeededRoleAgents = defineQuery('find-needed-role-agents', {
  scope: 'server',
  on: 'nobody',
  run: async (reader): Promise<NeededRoleAgent[]> =>
    (await reader.all(selectAsleepWithWork, { limit: dueLimit })).map((row) => ({
      userSessionId: row.user_session_id,
      roleAgentId: row.id,
      role: row.role,
      agentId: row.agent_id,
    })),
})

/** AG7: idle agents of user sessions that nobody is connected to. */
export const findIdleRoleAgents = defineQuery('find-idle-role-agents', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<DueRoleAgent[]> => {
    const idle: DueRoleAgent[] = []
    for (const row of await reader.all(selectDetached, { until: now, limit: candidateLimit }))
      for (const agent of await reader.all(selectOccupants, { userSessionId: row.id }))
        if (idle.length < dueLimit && (await isIdle(reader, agent, now)))
          idle.push({ userSessionId: row.id, roleAgentId: agent.id })
    return idle
  },
})

interface ForsakenUserSession {
  readonly userSessionId: string
}

/** US3: user sessions of deleted projects. */
export const findWithoutProject = defineQuery('find-without-project', {
  scope: 'server',
  on: 'nobody',
  run: async (reader): Promise<ForsakenUserSession[]> =>
    (await reader.all(selectWithoutProject, { limit: dueLimit })).map(({ id }) => ({
      userSessionId: id,
    })),
})

/**
 * US3, US4: user sessions that nobody was connected to for longer than their project allows, and in
 * which nothing is open.
 */
export const findAbandoned = defineQuery('find-abandoned', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<ForsakenUserSession[]> => {
    const abandoned: ForsakenUserSession[] = []
    const settingsFor = settingsOfProjects(reader)
    for (const row of await reader.all(selectDetached, { until: now, limit: candidateLimit })) {
      const allowedMs = durationMs(await settingsFor(row.project_id), 'user_session.detached_hours')
      const detachedMs = epochMs(now) - epochMs(row.attached_until)
      if (
        isAbandoned(detachedMs, allowedMs, 0) &&
        isAbandoned(detachedMs, allowedMs, await openWorkIn(reader, row.id))
      )
        abandoned.push({ userSessionId: row.id })
    }
    return abandoned
  },
})

/** AG6: limits that are over, in roles and chats. */
export const findEndedLimits = defineQuery('find-ended-limits', {
  scope: 'server',
  on: 'nobody',
  run: (reader, _: Record<never, never>, { now }): Promise<EndedLimit[]> =>
    endedLimits(reader, now),
})

/** Reads the settings of each project once. */
function settingsOfProjects(reader: Reader): (projectId: string) => Promise<ProjectSettings> {
  const loaded = new Map<string, Promise<ProjectSettings>>()
  return (projectId) => {
    const settings = loaded.get(projectId) ?? settingsOf(reader, projectId)
    loaded.set(projectId, settings)
    return settings
  }
}

/** Counts running turns, and limits after which a turn continues automatically. */
async function openWorkIn(reader: Reader, userSessionId: string): Promise<number> {
  let running = 0
  for (const agent of await reader.all(selectOccupants, { userSessionId }))
    running +=
      ((await currentLimit(reader, roleContextKey(agent)))?.goes_on_left ?? 0) +
      (await reader.all(selectOpenTurns, { roleAgentId: agent.id })).filter(
        ({ state }) => state === 'running',
      ).length
  return running
}

async function endedLimits(reader: Reader, now: Instant): Promise<EndedLimit[]> {
  const over: EndedLimit[] = []
  for (const row of await reader.all(selectLimitedUntil, { until: now, limit: dueLimit })) {
    const {
      id: contextId,
      conversation_key: conversationKey,
      project_id: projectId,
      agent_id: agentId,
    } = row
    const place = rolePlaceOf(await identityOf(reader, conversationKey))
    const agent = place && (await reader.first(selectOccupant, place))
    const hasFailed =
      agent?.state === 'FAILED' && agent.agent_id === agentId && row.goes_on_left > 0
    const again =
      place && hasFailed ? { role: place.role, agentId, by: row.goes_on_by ?? '' } : null
    over.push({
      contextId,
      conversationKey,
      projectId,
      userSessionId: place?.userSessionId ?? null,
      again,
    })
  }
  return over
}
