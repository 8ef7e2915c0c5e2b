/** A message that waits is moved before another one, or answered next (CH18). */
import { expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { moveMessage } from '../../../src/services/flows/messages/move-message.ts'
import { stopTurns } from '../../../src/services/flows/turns/cancel-turn.ts'
import { messagesOfTurn } from '../../../src/store/conversations/unread.ts'
import { turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { by, typesOf } from '../projects/installation.ts'
import { openTurnRoom } from './turn-room.ts'

/** One message runs, and three wait. */
async function openQueue(kind: 'chat' | 'thread') {
  const room = await openTurnRoom(await openTestStore())
  const place = await room.places[kind]()
  const { key } = place
  await place.ask('one')
  await place.begin()
  for (const content of ['two', 'three', 'four']) await place.ask(content)
  const rows = await room.store.read((reader) =>
    reader.query((db) =>
      db.selectFrom('messages').select(['seq', 'content']).where('conversation_key', '=', key),
    ),
  )
  const seqOf = (content: string) => rows.find((row) => row.content === content)?.seq ?? 0
  const move = async (content: string, to: string | null, now = false) => {
    const before = to === null ? null : seqOf(to)
    const input = { key, seq: seqOf(content), to: now ? ('now' as const) : before, by }
    return (await room.store.run(moveMessage, input)).seqs
  }
  const contentsOf = (seqs: readonly number[]) =>
    seqs.map((seq) => rows.find((row) => row.seq === seq)?.content)
  const contentsOfTurn = async (state: string) => {
    const turn = (await room.turns(key)).find((each) => each.state === state)
    const messages = await room.store.read((reader) => messagesOfTurn(reader, turn?.id ?? ''))
    return messages.map(({ content }) => content)
  }
  return { room, place, key, seqOf, move, contentsOf, contentsOfTurn }
}

test.each(['chat', 'thread'] as const)(
  '[CH18] what waits is told in the order that people gave it (%s), and what comes later after it',
  async (kind) => {
    const { room, place, key, move, contentsOf, contentsOfTurn } = await openQueue(kind)
    expect(contentsOf(await move('four', 'two'))).toEqual(['four', 'two', 'three'])
    expect(contentsOf(await move('two', null))).toEqual(['four', 'three', 'two'])
    expect(contentsOf(await move('two', 'two'))).toEqual(['four', 'three', 'two'])
    expect(contentsOf(await move('three', null, true))).toEqual(['three', 'four', 'two'])
    await place.ask('five')
    expect(await contentsOfTurn('queued')).toEqual(['three', 'four', 'two', 'five'])
    await place.answer('done')
    expect(await contentsOfTurn('running')).toEqual(['three', 'four', 'two', 'five'])
    await place.answer('done')
    expect(await room.unread(key)).toBe(0)
    expect(await typesOf(room.store, conversationStream(key))).toContain('messages-ordered')
  },
)

test('[CH18] now lets go on what is paused, another move does not', async () => {
  const { room, key, move, contentsOfTurn } = await openQueue('thread')
  const paused = async () => (await room.store.query(getConversation, { key })).paused
  const { turnId, launchId } = await room.runningTurn(key)
  await room.store.run(stopTurns, { key, by })
  await room.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  await room.scan()
  await move('four', 'three')
  expect(await paused()).toBe('stopped')
  expect(await contentsOfTurn('running')).toEqual([])
  await move('three', null, true)
  expect(await paused()).toBeNull()
  expect(await contentsOfTurn('running')).toEqual(['three', 'two', 'four'])
})

test('[CH18] one that its agent was given, or that is nowhere, is refused on either side', async () => {
  const { room, place, key, seqOf, move, contentsOfTurn } = await openQueue('thread')
  const begun = { code: 'wrong_state', fields: { state: 'running' } }
  await expect(move('one', 'two')).rejects.toMatchObject(begun)
  await expect(move('two', 'one')).rejects.toMatchObject(begun)
  const nowhere = { code: 'not_found', fields: { seq: 999 } }
  const ask = (seq: number, to: number | null) => room.store.run(moveMessage, { key, seq, to, by })
  await expect(ask(999, null)).rejects.toMatchObject(nowhere)
  await expect(ask(seqOf('two'), 999)).rejects.toMatchObject(nowhere)
  await place.withdrawLast()
  const withdrawn = { code: 'wrong_state', fields: { state: 'cancelled' } }
  await expect(move('four', null)).rejects.toMatchObject(withdrawn)
  expect(await contentsOfTurn('queued')).toEqual(['two', 'three'])
  expect(await typesOf(room.store, conversationStream(key))).not.toContain('messages-ordered')
})

test('[CH18] what was lost once and waits again has been given, and stays first', async () => {
  const { place, move, contentsOfTurn } = await openQueue('thread')
  await place.die()
  await expect(move('one', null)).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(move('two', 'one')).rejects.toMatchObject({ code: 'wrong_state' })
  await move('four', null, true)
  await place.begin()
  expect(await contentsOfTurn('running')).toEqual(['one'])
  await place.answer('done')
  expect(await contentsOfTurn('running')).toEqual(['four', 'two', 'three'])
})
