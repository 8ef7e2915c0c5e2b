/**
 * Lets a turn start at a person's request although another conversation's turn runs in the same folder (CX9). Both then run
 * side by side.
 */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { defineUseCase } from '../../store/store.ts'
import { updateTurn } from '../../store/turns/turns.ts'
import { conversationView, findWaitingTurn } from '../conversations/conversation-activity.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'

export const beginTurn = defineUseCase({
  name: 'begin-turn',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }): Promise<Conversation> => {
    const row = await existingConversation(tx, key)
    const turn = await findWaitingTurn(tx, key)
    if (!turn) throw new Refusal('wrong_state', refusalText('nothingWaits', { key }))
    await tx.write(updateTurn, { ...turn, begins_beside: 1 })
    tx.append(conversationStream(key), { type: 'turn-begins', data: { turnId: turn.id, by } })
    return conversationView(tx, row)
  },
})
