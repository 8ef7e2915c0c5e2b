/**
 * Requests that the running turn stop, without ending its agent (RL6). The turn ends when the agent confirms. A repeated
 * request changes nothing.
 */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import { decide } from '../../domain/turns/lifecycle.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectOpenTurns, turnLife, updateTurn } from '../../store/turns/turns.ts'
import { activeAgent, promptStreams, requireLocked, type UserSessionLocks } from '../consoles/user-session-record.ts'

interface Input extends UserSessionLocks {
  readonly role: string
  readonly requestId?: string | undefined
  readonly by: string
}

export const cancelTurn = defineUseCase({
  name: 'cancel-turn',
  streams: (input: Input) => promptStreams(input),
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
