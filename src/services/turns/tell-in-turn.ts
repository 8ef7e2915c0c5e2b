/**
 * Tells what happens in a turn that runs, in its stream, and keeps what the current transaction has
 * told: it reaches the log only when it commits, and the turn may end before.
 */

import type { NoticeText } from '../../domain/notices.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { TurnStreamEvent } from '../../protocol/threads/fold-turn.ts'
import type { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { Tx } from '../../store/store.ts'
import { relayRole, type TurnRow, turnStream } from '../../store/turns/turns.ts'

/** Their time is that of the commit, and not known here. */
const unwritten = new WeakMap<Tx, Map<string, TurnStreamEvent[]>>()

export const unwrittenOf = (tx: Tx, turnId: string): readonly TurnStreamEvent[] =>
  unwritten.get(tx)?.get(turnId) ?? []

/** Returns the number of the event. */
export function tellInTurn(tx: Tx, turn: TurnRow, event: Omit<TurnStreamEvent, 'at'>): number {
  const events = unwritten.get(tx) ?? new Map<string, TurnStreamEvent[]>()
  unwritten.set(tx, events)
  const { type, data } = event
  const next = { type, data, at: '' } as TurnStreamEvent
  const before = events.get(turn.id)
  if (before) before.push(next)
  else events.set(turn.id, [next])
  return tx.append(turnStream(turn), { type, data } as NewEvent)
}

export const tellUpdate = (tx: Tx, turn: TurnRow, update: AgentUpdate): number =>
  tellInTurn(tx, turn, {
    type: 'agent:update',
    data: { messageId: turn.id, update, role: relayRole(turn) },
  })

/** Tells the person something in a running turn. */
export function noteInTurn(tx: Tx, turn: TurnRow, { text: title, notice }: NoticeText): void {
  tellUpdate(tx, turn, { kind: 'notice', severity: 'warning', title, description: null, notice })
}

/** Tells that the messages that a turn was given wait again, each in its conversation. */
export function tellReturned(
  tx: Tx,
  { agent_id: agentId }: TurnRow,
  messages: readonly Pick<Message, 'conversationKey' | 'seq'>[],
): void {
  for (const [key, some] of Map.groupBy(messages, ({ conversationKey }) => conversationKey))
    tx.append(conversationStream(key), {
      type: 'messages-returned',
      data: { agentId, seqs: some.map(({ seq }) => seq) },
    })
}
