/** The turn that answers a message of a person, and what became of the message if none does. */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import { selectFate } from '../../store/conversations/messages.ts'
import { selectUnreadMessage } from '../../store/conversations/unread.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'
import { streamOfKey } from '../conversations/conversation-record.ts'
import { turnView } from './turn-view.ts'

interface TurnOfMessage {
  /** The turn that answered it, runs or waits; undefined: none, or it is not known any more. */
  readonly turn: TurnRow | undefined
  readonly state: TurnRow['state']
}

export async function turnOfMessage(
  reader: Reader,
  key: string,
  seq: number,
): Promise<TurnOfMessage> {
  const messageKey = { conversation_key: key, seq }
  const message = await reader.first(selectFate, messageKey)
  if (message?.role !== 'user')
    throw new Refusal('not_found', refusalText('messageGone', { id: String(seq), role: key }), {
      seq,
    })
  const unread = await reader.first(selectUnreadMessage, messageKey)
  const turnId = unread?.turn_id ?? message.turn_id
  const turn = turnId === null ? undefined : await reader.row('turns', { id: turnId })
  const otherwise = message.rewound_by === null ? 'answered' : 'cancelled'
  return { turn, state: turn?.state ?? otherwise }
}

/**
 * SN13: what became of a message that a door sent, for as long as it is there. A door that waited
 * for it when its server died asks again. The turn of one that waits may change.
 */
export const readTurnOfMessage = defineQuery('read-turn-of-message', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, seq }: { key: string; seq: number },
  ): Promise<{ state: TurnRow['state']; turn: ConversationTurn | null }> => {
    streamOfKey(key)
    const { state, turn } = await turnOfMessage(reader, key, seq)
    return { state, turn: turn ? await turnView(reader, turn) : null }
  },
})
