/**
 * Ends a user session (US4): asks all its agents to end, and announces the end when the last has. It accepts no more requests.
 * Worktrees stay. A repeated request changes nothing.
 */

import { type Detail, textOf } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { selectOccupants, updateEnding } from '../../store/consoles/user-sessions.ts'
import { noticeColumn } from '../../store/notices.ts'
import { defineUseCase } from '../../store/store.ts'
import { announceEndIfEmpty, existingUserSession, rosterStreams, type UserSessionLocks } from './role-agent-record.ts'
import { leaveRole } from './terminate-role-agent.ts'

interface Input extends UserSessionLocks {
  readonly reason: Detail
  readonly requestId?: string | undefined
}

export const terminateUserSession = defineUseCase('terminate-user-session', {
  streams: (input: Input) => rosterStreams(input),
  /** `byOther`: an earlier request gets the event. */
  run: async (tx, { reason, requestId, ...which }, context): Promise<{ byOther: boolean }> => {
    const { userSessionId } = which
    const row = await existingUserSession(tx, userSessionId)
    if (row.terminated_at !== null) return { byOther: row.terminate_request_id !== (requestId ?? null) }
    const occupants = await tx.all(selectOccupants, { userSessionId })
    await tx.write(updateEnding, {
      ...row,
      state: 'TERMINATED',
      terminated_at: context.now,
      terminate_reason: textOf(reason),
      notice: noticeColumn(reason),
      terminate_request_id: requestId ?? null,
      agents_terminated: occupants.length,
    })
    for (const agent of occupants) await leaveRole(tx, agent, { ...which, reason: statusNotice('userSessionEnded') }, context)
    await announceEndIfEmpty(tx, userSessionId)
    return { byOther: false }
  },
})
