/** Begins and ends user sessions, and records which are connected (US1, US3, US4). */

import { type Instant, later } from '../../../domain/instant.ts'
import { type Detail, textOf } from '../../../domain/notices.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { projectStream, userSessionStream } from '../../../domain/stream-name.ts'
import {
  selectOccupants,
  updateAttached,
  updateDetached,
} from '../../../store/consoles/user-sessions.ts'
import { noticeColumn } from '../../../store/fields.ts'
import { defineUseCase } from '../../../store/store.ts'
import {
  type AskedUserSession,
  announceEndIfEmpty,
  lockUserSession,
} from '../../consoles/role-agent-record.ts'
import { noSuchProject } from '../../refusals.ts'
import { leaveRole } from './end-role-agent.ts'

interface Input extends AskedUserSession {
  readonly reason: Detail
  readonly requestId?: string | undefined
}

/**
 * Ends a user session (US4): asks all its agents to end, and announces the end when the last has.
 * It accepts no more requests. Worktrees stay. A repeated request changes nothing.
 */
export const terminateUserSession = defineUseCase('terminate-user-session', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: Input) => [userSessionStream(userSessionId)],
  /** `byOther`: an earlier request gets the event. */
  run: async (tx, { reason, requestId, ...asked }, context): Promise<{ byOther: boolean }> => {
    const { userSessionId } = asked
    const row = await lockUserSession(tx, asked)
    if (row.terminated_at !== null)
      return { byOther: row.terminate_request_id !== (requestId ?? null) }
    const occupants = await tx.all(selectOccupants, { userSessionId })
    await tx.update('user_sessions', {
      id: userSessionId,
      state: 'TERMINATED',
      terminated_at: context.now,
      terminate_reason: textOf(reason),
      notice: noticeColumn(reason),
      terminate_request_id: requestId ?? null,
      agents_terminated: occupants.length,
    })
    for (const agent of occupants)
      await leaveRole(tx, agent, { reason: statusNotice('userSessionEnded') }, context)
    await announceEndIfEmpty(tx, userSessionId)
    return { byOther: false }
  },
})

/** Creates a user session (US1): a person's console in a project, without agents. */
export const createUserSession = defineUseCase('create-user-session', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: { projectId: string; by: string; requestId?: string | undefined }) => [
    projectStream(projectId),
  ],
  run: async (
    tx,
    { projectId, by, requestId },
    { now, random },
  ): Promise<{ userSessionId: string; seq: number }> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const id = random.uuid()
    const times = {
      created_at: now,
      last_active_at: now,
      attached_until: later(now, attachedForMs),
    }
    await tx.insert('user_sessions', { id, project_id: projectId, account_id: by, ...times })
    const stream = userSessionStream(id)
    tx.begin(stream)
    const created = { type: 'session:created', data: { projectId, by, requestId } } as const
    return { userSessionId: id, seq: tx.append(stream, created, [projectStream(projectId)]) }
  },
})

export const maxAttachedAtOnce = 500
/** A connection is recorded three times within this time. After a crash it runs out. */
export const attachedForMs = 60_000

interface Connections {
  readonly attached: readonly string[]
  /** `seenUntil`: the value this node wrote last. */
  readonly detached: readonly { readonly id: string; readonly seenUntil: Instant }[]
}

/** Records which user sessions are connected, or were until now (US3). Appends no event. */
export const touchUserSessions = defineUseCase('touch-user-sessions', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { attached, detached }: Connections, { now }): Promise<Instant> => {
    const until = later(now, attachedForMs)
    // Sorted, so that two nodes that write the same rows cannot deadlock.
    const all = [...attached.map((id) => ({ id, seenUntil: null })), ...detached].slice(
      0,
      maxAttachedAtOnce,
    )
    for (const { id, seenUntil } of all.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      if (seenUntil === null) await tx.write(updateAttached, { id, until })
      else await tx.write(updateDetached, { id, until: now, seenUntil })
    }
    return until
  },
})
