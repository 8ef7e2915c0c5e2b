/** Cancels the running turn of an agent in a role, and withdraws queued prompts (RL6). */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import { decide } from '../../domain/turns/lifecycle.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectOpenTurns, selectTurn, turnLife, updateTurn } from '../../store/turns/turns.ts'
import {
  activeAgent,
  existingUserSession,
  promptStreams,
  requireLocked,
  rosterRefusal,
  type UserSessionLocks,
} from '../consoles/role-agent-record.ts'
import { endTurn } from './turn-record.ts'

interface CancelInput extends UserSessionLocks {
  readonly role: string
  readonly requestId?: string | undefined
  readonly by: string
}

/**
 * Requests that the running turn stop, without ending its agent (RL6). The turn ends when the agent confirms. A repeated
 * request changes nothing.
 */
export const cancelTurn = defineUseCase({
  name: 'cancel-turn',
  streams: (input: CancelInput) => promptStreams(input),
  run: async (tx, { role, requestId, by, ...which }, { now }): Promise<{ turnId: string }> => {
    const { userSessionId } = which
    const agent = await activeAgent(tx, userSessionId, role)
    const turn = (await tx.all(selectOpenTurns, { roleAgentId: agent.id })).find((each) => each.state === 'running')
    if (!turn) throw new Refusal('wrong_state', refusalText('noTurn'))
    if (decide(turnLife(turn), { type: 'cancel' }).outcome !== 'cancel-ordered') return { turnId: turn.id }
    await tx.write(updateTurn, { ...turn, cancel_ordered_at: now, cancel_request_id: requestId ?? null, cancel_by: by })
    const launch = turn.launch_id === null ? undefined : await findLaunch(tx, turn.launch_id)
    if (launch) {
      requireLocked(which, launch.coordinatorId)
      const order = { launchId: launch.id, turnId: turn.id }
      tx.append(coordinatorStream(launch.coordinatorId), { type: 'cancel-ordered', data: order })
    }
    return { turnId: turn.id }
  },
})

interface WithdrawInput extends UserSessionLocks {
  readonly role: string
  readonly messageId: string
  readonly requestId?: string | undefined
}

/** Withdraws a queued prompt (RL6). A prompt that was already sent must be cancelled instead. */
export const withdrawPrompt = defineUseCase({
  name: 'withdraw-prompt',
  streams: (input: WithdrawInput) => promptStreams(input),
  run: async (tx, { userSessionId, role, messageId, requestId }, context): Promise<{ seq: number }> => {
    if ((await existingUserSession(tx, userSessionId)).state === 'TERMINATED')
      throw rosterRefusal({ refused: 'user_session_terminated' })
    const turn = await tx.first(selectTurn, { id: messageId })
    if (turn?.user_session_id !== userSessionId || turn.role !== role)
      throw new Refusal('not_found', refusalText('messageGone', { id: messageId, role }), { messageId })
    if (!(await endTurn(tx, turn, { type: 'withdraw' }, { requestId }, context)))
      throw new Refusal('wrong_state', refusalText('messageBegun', { state: turn.state }), {
        state: turn.state,
      })
    return { seq: (await tx.first(selectTurn, { id: messageId }))?.ended_seq ?? 0 }
  },
})
