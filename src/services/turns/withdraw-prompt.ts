/** Withdraws a queued prompt (RL6). A prompt that was already sent must be cancelled instead. */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectTurn } from '../../store/turns/turns.ts'
import { existingUserSession, promptStreams, rosterRefusal, type UserSessionLocks } from '../consoles/user-session-record.ts'
import { endTurn } from './turn-record.ts'

interface Input extends UserSessionLocks {
  readonly role: string
  readonly messageId: string
  readonly requestId?: string | undefined
}

export const withdrawPrompt = defineUseCase({
  name: 'withdraw-prompt',
  streams: (input: Input) => promptStreams(input),
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
