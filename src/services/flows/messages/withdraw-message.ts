/**
 * Withdraws a message that waits for its agent (CH16). The agent never gets it; the archive keeps
 * it, hidden.
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import { withdrawn } from '../../../domain/turns/lifecycle.ts'
import { measured } from '../../../store/conversations/messages.ts'
import { deleteUnreadMessage, messagesOfTurn } from '../../../store/conversations/unread.ts'
import { defineUseCase } from '../../../store/store.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { turnOfMessage } from '../../turns/turn-of-message.ts'
import { endTurn } from '../turns/end-turn.ts'

export const withdrawMessage = defineUseCase('withdraw-message', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; seq: number; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, seq, by }, context): Promise<{ seq: number }> => {
    const row = await existingConversation(tx, key)
    const messageKey = { conversation_key: key, seq }
    const { turn, state } = await turnOfMessage(tx, key, seq)
    if (turn?.state !== 'queued')
      throw new Refusal('wrong_state', refusalText('messageBegun', { state }), { state })
    await tx.write(deleteUnreadMessage, messageKey)
    await tx.update('messages', { ...messageKey, rewound_by: withdrawn })
    if ((await messagesOfTurn(tx, turn.id)).length === 0)
      await endTurn(tx, turn, { type: 'withdraw' }, {}, context)
    const { count } = await measured(tx, key, row.kept_after)
    const { chars } = await measured(tx, key, Math.max(row.kept_after, row.summary_through))
    const chapter_messages = row.chapter_messages - (seq > row.chapter_after ? 1 : 0)
    await tx.update('conversations', {
      key,
      message_count: count,
      unsummarised_chars: chars,
      chapter_messages,
      updated_at: context.now,
    })
    tx.append(conversationStream(key), { type: 'message-withdrawn', data: { seq, by } })
    return { seq }
  },
})
