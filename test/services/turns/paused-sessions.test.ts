/** What waits in a session is paused when its turn was stopped or has failed (SN20). */
import { expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { stopTurns } from '../../../src/services/flows/turns/cancel-turn.ts'
import { goOnInConversation } from '../../../src/services/flows/turns/go-on.ts'
import { turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { by, typesOf } from '../projects/installation.ts'
import { openTurnRoom, type Place } from './turn-room.ts'

async function openThread(kind: 'thread' | 'chat' | 'role' = 'thread') {
  const room = await openTurnRoom(await openTestStore())
  const place: Place = await room.places[kind]()
  const { key } = place
  await place.ask('one')
  await place.begin()
  await place.ask('two')
  const end = async (how: Parameters<typeof turnEnded>[2]) => {
    const { turnId, launchId } = await room.runningTurn(key)
    await room.tell(turnEnded(launchId, turnId, how))
    await room.scan()
  }
  return {
    room,
    place,
    key,
    stop: async () => {
      await room.store.run(stopTurns, { key, by })
      await end({ outcome: 'cancelled' })
    },
    fail: () => end({ outcome: 'failed', error: 'It broke' }),
    states: async () => (await room.turns(key)).map(({ state }) => state),
    paused: async () => (await room.store.query(getConversation, { key })).paused,
  }
}

test.each(['stop', 'fail'] as const)(
  '[SN20] what waits in a session is paused after a %s, until a person lets it go on',
  async (how) => {
    const { room, key, states, paused, ...thread } = await openThread()
    expect(await paused()).toBeNull()
    await thread[how]()
    const ended = how === 'stop' ? 'cancelled' : 'failed'
    expect(await states()).toEqual([ended, 'queued'])
    expect(await paused()).toBe(how === 'stop' ? 'stopped' : 'failed')
    await room.store.run(goOnInConversation, { key, goOn: true, by })
    expect(await states()).toEqual([ended, 'running'])
    expect(await paused()).toBeNull()
    expect((await typesOf(room.store, conversationStream(key))).slice(-3)).toEqual([
      'queue-paused',
      'queue-goes-on',
      'messages-delivered',
    ])
    await expect(room.store.run(goOnInConversation, { key, goOn: true, by })).rejects.toMatchObject(
      { code: 'wrong_state' },
    )
  },
)

test('[SN20] the next message goes with what was paused, in one turn', async () => {
  const { room, place, key, states, stop, paused } = await openThread()
  await stop()
  await place.ask('three')
  expect(await states()).toEqual(['cancelled', 'running'])
  expect(await paused()).toBeNull()
  await place.answer('done')
  expect(await room.unread(key)).toBe(0)
})

test('[SN20] a paused session starts no process, and does when it goes on', async () => {
  const { room, place, key, stop } = await openThread()
  const order = () =>
    room.launches.order({ agentId: place.agentId, projectId: room.projectId, lane: key })
  await stop()
  await place.die()
  expect(await order()).toBeNull()
  await room.store.run(goOnInConversation, { key, goOn: true, by })
  expect(await order()).toMatchObject({ state: 'waiting' })
})

test.each(['chat', 'role'] as const)(
  "[SN20] what waits in the agent's first session or a role (%s) goes on at once",
  async (kind) => {
    const { states, stop, paused } = await openThread(kind)
    await stop()
    expect(await states()).toEqual(['cancelled', 'running'])
    expect(await paused()).toBeNull()
  },
)

test('[SN20] without anything that waits nothing is paused', async () => {
  const { room, place, key, stop, paused, states } = await openThread()
  await place.withdrawLast()
  await stop()
  expect(await paused()).toBeNull()
  expect(await states()).toEqual(['cancelled', 'cancelled'])
  expect(await typesOf(room.store, conversationStream(key))).not.toContain('queue-paused')
})
