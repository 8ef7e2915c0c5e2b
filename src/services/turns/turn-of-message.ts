/** The turn that answers a message of a person, and what became of the message if none does. */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { selectWithdrawal } from '../../store/conversations/messages.ts'
import { selectUnreadMessage } from '../../store/conversations/unread.ts'
import type { Tx } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'

interface TurnOfMessage {
  readonly turn: TurnRow | undefined
  readonly state: TurnRow['state'] | 'answered'
}

export async function turnOfMessage(tx: Tx, key: string, seq: number): Promise<TurnOfMessage> {
  const which = { conversation_key: key, seq }
  const message = await tx.first(selectWithdrawal, which)
  if (message?.role !== 'user')
    throw new Refusal('not_found', refusalText('messageGone', { id: String(seq), role: key }), {
      seq,
    })
  const unread = await tx.first(selectUnreadMessage, which)
  const turn = unread && (await tx.row('turns', { id: unread.turn_id }))
  const otherwise = message.rewound_by === null ? 'answered' : 'cancelled'
  return { turn, state: turn?.state ?? otherwise }
}
