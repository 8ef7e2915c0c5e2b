/**
 * Cancels the running turn of an agent in a role (RL6) or of any conversation (CH15), and withdraws
 * queued prompts.
 */
import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { coordinatorStream, userSessionStream } from '../../../domain/stream-name.ts'
import { decideTurn } from '../../../domain/turns/lifecycle.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import {
  isPushed,
  selectOpenTurns,
  selectRunningIn,
  type TurnRow,
  turnLife,
} from '../../../store/turns/turns.ts'
import {
  type AskedUserSession,
  activeAgent,
  lockUserSession,
  rosterRefusal,
} from '../../consoles/role-agent-record.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { lockContext } from '../../turns/context-record.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { endTurn } from './end-turn.ts'

interface Cancel {
  readonly by: string
  readonly now: Instant
  readonly requestId?: string | undefined
}

/** Asks the agent to stop a turn. A repeated request changes nothing. */
export async function orderCancel(
  tx: Tx,
  turn: TurnRow,
  { by, now, requestId }: Cancel,
): Promise<void> {
  lockTurn(tx, turn)
  if (decideTurn(turnLife(turn), { type: 'cancel' }).outcome !== 'cancel-ordered') return
  await tx.update('turns', {
    id: turn.id,
    cancel_ordered_at: now,
    cancel_request_id: requestId ?? null,
    cancel_by: by,
  })
  const launch = turn.launch_id === null ? undefined : await findLaunch(tx, turn.launch_id)
  if (!launch) return
  const order = { launchId: launch.id, turnId: turn.id }
  tx.append(coordinatorStream(launch.coordinatorId), { type: 'cancel-ordered', data: order })
}

interface CancelInput extends AskedUserSession {
  readonly role: string
  readonly requestId?: string | undefined
  readonly by: string
}

/**
 * Asks that the running turn stop, not its agent (RL6). It ends when the agent confirms. Repeating
 * changes nothing.
 */
export const cancelTurn = defineUseCase('cancel-turn', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: CancelInput) => [userSessionStream(userSessionId)],
  run: async (tx, { role, requestId, by, ...asked }, { now }): Promise<{ turnId: string }> => {
    const agent = await activeAgent(tx, asked, role)
    const turn = (await tx.all(selectOpenTurns, { roleAgentId: agent.id })).find(
      (each) => each.state === 'running',
    )
    if (!turn) throw new Refusal('wrong_state', refusalText('noTurn'))
    await orderCancel(tx, turn, { by, now, requestId })
    return { turnId: turn.id }
  },
})

const runningIn = async (reader: Reader, key: string): Promise<TurnRow[]> =>
  (await reader.all(selectRunningIn, { key })).filter(isPushed)

interface StopInput {
  readonly key: string
  readonly by: string
}

/**
 * Asks the agents of a conversation, in a role or not, to stop what they are doing (CH15). What
 * they have said so far stays.
 */
export const stopTurns = defineUseCase('stop-turns', {
  scope: 'write',
  on: 'conversation',
  run: async (tx, { key, by }: StopInput, { now }): Promise<{ stopped: number }> => {
    streamOfKey(key)
    await existingConversation(tx, key)
    await lockContext(tx, key)
    const turns = await runningIn(tx, key)
    if (turns.length === 0) throw new Refusal('wrong_state', refusalText('noTurn'))
    for (const turn of turns) await orderCancel(tx, turn, { by, now })
    return { stopped: turns.length }
  },
})

interface WithdrawInput extends AskedUserSession {
  readonly role: string
  readonly messageId: string
  readonly requestId?: string | undefined
}

/** Withdraws a queued prompt (RL6). A prompt that was already sent must be cancelled instead. */
export const withdrawPrompt = defineUseCase('withdraw-prompt', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId }: WithdrawInput) => [userSessionStream(userSessionId)],
  run: async (tx, { role, messageId, requestId, ...asked }, context): Promise<{ seq: number }> => {
    const { id: userSessionId, state } = await lockUserSession(tx, asked)
    if (state === 'TERMINATED') throw rosterRefusal({ refused: 'user_session_terminated' })
    const turn = await tx.row('turns', { id: messageId })
    if (turn?.user_session_id !== userSessionId || turn.role !== role)
      throw new Refusal('not_found', refusalText('messageGone', { id: messageId, role }), {
        messageId,
      })
    if (!(await endTurn(tx, turn, { type: 'withdraw' }, { requestId }, context)).ended)
      throw new Refusal('wrong_state', refusalText('messageBegun', { state: turn.state }), {
        state: turn.state,
      })
    return { seq: (await tx.row('turns', { id: messageId }))?.ended_seq ?? 0 }
  },
})
