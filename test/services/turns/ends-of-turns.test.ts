/**
 * A turn ends in one way, whatever it was for: the table has what can happen, down, and what turns
 * are for, across.
 */
import { expect, test } from 'vitest'
import { turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { kindsOfTurn, kindsThatQueue, openTurnRoom } from './turn-room.ts'

const open = async () => openTurnRoom(await openTestStore())

test.each(kindsOfTurn)(
  '[CH12] the answer of a turn (%s) is stored once, and what it answers is read',
  async (kind) => {
    const room = await open()
    const place = await room.places[kind]()
    await place.ask('do it')
    await place.begin()
    const { turnId, launchId } = await room.runningTurn(place.key)
    await place.answer('done')
    const ended = [{ id: turnId, state: 'answered', stopReason: 'end_turn', retryOf: null }]
    expect(await room.turns(place.key)).toEqual(ended)
    const answers = async () =>
      (await room.messages(place.key)).filter(({ role }) => role === 'assistant')
    expect(await answers()).toEqual([{ role: 'assistant', content: 'done', client_id: turnId }])
    expect(await room.unread(place.key)).toBe(0)
    // Told again, as after a reconnect.
    if (kind !== 'pulled') await room.tell(turnEnded(launchId, turnId, { outcome: 'failed' }))
    expect(await room.turns(place.key)).toEqual(ended)
    expect(await answers()).toHaveLength(1)
  },
)

const afterLoss = {
  chat: ['unknown', 'queued'],
  thread: ['unknown', 'queued'],
  pulled: ['unknown', 'queued'],
  role: ['unknown'],
  task: ['unknown'],
} as const

test.each(kindsOfTurn)(
  '[NA7] a turn (%s) whose process is gone is lost, and only messages of a chat are asked again',
  async (kind) => {
    const room = await open()
    const place = await room.places[kind]()
    await place.ask('do it')
    await place.begin()
    const { turnId } = await room.runningTurn(place.key)
    await place.die()
    const [lost, again] = await room.turns(place.key)
    expect((await room.turns(place.key)).map(({ state }) => state)).toEqual(afterLoss[kind])
    expect(lost).toMatchObject({ id: turnId, stopReason: 'process_gone' })
    if (again) expect(again.retryOf).toBe(turnId)
    expect(await room.unread(place.key)).toBe(again ? 1 : 0)
  },
)

test.each(['chat', 'thread', 'role', 'task'] as const)(
  '[CX6] a turn (%s) that was stopped with Holdfast says so, and is never said to be lost twice',
  async (kind) => {
    const room = await open()
    const place = await room.places[kind]()
    await place.ask('do it')
    await place.begin()
    await place.die({ stopped: true })
    const stopped = { state: 'unknown', error: 'Holdfast was stopped' }
    const [lost, again] = await room.turns(place.key)
    expect(lost).toMatchObject(stopped)
    if (!again) return
    await place.begin()
    await place.die({ stopped: true })
    await place.begin()
    await place.die()
    const all = await room.turns(place.key)
    expect(all.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown', 'queued'])
    expect(all[1]).toMatchObject(stopped)
    expect(all[2]).not.toHaveProperty('error')
    // One that ends by itself twice is not given to it again.
    await place.begin()
    await place.die()
    expect(await room.unread(place.key)).toBe(0)
  },
)

const failures = {
  empty: { outcome: 'answered', stopReason: 'end_turn' },
  error: { outcome: 'failed', error: 'It broke' },
  refusal: { outcome: 'answered', stopReason: 'refusal' },
} as const

test.each(
  (['chat', 'thread', 'role', 'task'] as const).flatMap((kind) =>
    (['empty', 'error', 'refusal'] as const).map((why) => [kind, why] as const),
  ),
)(
  '[CX12] a turn (%s) that ends without an answer has failed, and says why: %s',
  async (kind, why) => {
    const room = await open()
    const place = await room.places[kind]()
    await place.ask('do it')
    await place.begin()
    const { turnId, launchId } = await room.runningTurn(place.key)
    await room.tell(turnEnded(launchId, turnId, failures[why]))
    expect((await room.turns(place.key))[0]).toMatchObject({ state: 'failed', stopReason: why })
    expect(await room.unread(place.key)).toBe(0)
  },
)

test.each(kindsThatQueue)(
  '[RL6] what waits (%s) is withdrawn, and what runs is not',
  async (kind) => {
    const room = await open()
    const place = await room.places[kind]()
    await place.ask('one')
    await place.begin()
    await place.ask('two')
    await place.withdrawLast()
    const states = async () => (await room.turns(place.key)).map(({ state }) => state)
    expect(await states()).toEqual(['running', 'cancelled'])
    await expect(place.withdrawLast()).rejects.toMatchObject({ code: 'wrong_state' })
    await place.answer('done')
    await room.scan()
    expect(await states()).toEqual(['answered', 'cancelled'])
    expect(await room.unread(place.key)).toBe(0)
  },
)
