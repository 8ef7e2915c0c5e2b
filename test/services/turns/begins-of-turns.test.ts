/**
 * A turn begins in one way, whatever it is for, and in the commit that makes it possible: the scan
 * for what nobody has begun does not run here but where a test says so.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { beginTurn } from '../../../src/services/flows/turns/begin-turn.ts'
import { stopTurns } from '../../../src/services/flows/turns/cancel-turn.ts'
import { endLimit, goOnInChat } from '../../../src/services/flows/turns/end-limit.ts'
import { changeProject } from '../../../src/services/projects/change-project.ts'
import { turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { by } from '../projects/installation.ts'
import { type KindOfTurn, kindsThatQueue, openTurnRoom, type Place } from './turn-room.ts'

const open = async () => openTurnRoom(await openTestStore())

type Room = Awaited<ReturnType<typeof open>>

/** An agent that has answered once and waits, in a process that is ready. */
async function warm(room: Room, kind: KindOfTurn): Promise<Place> {
  const place = await room.places[kind]()
  await place.ask('hello')
  await place.begin()
  await place.answer('hi')
  return place
}

const states = async (room: Room, { key }: Place) =>
  (await room.turns(key)).map(({ state }) => state)

test.each(kindsThatQueue)(
  '[CH12] what is asked (%s) begins in its commit, if the agent is free',
  async (kind) => {
    const room = await open()
    const place = await warm(room, kind)
    await place.ask('one')
    expect(await states(room, place)).toEqual(['answered', 'running'])
    await place.ask('two')
    expect(await states(room, place)).toEqual(['answered', 'running', 'queued'])
    await place.answer('1')
    expect(await states(room, place)).toEqual(['answered', 'answered', 'running'])
    await place.answer('2')
    await room.scan()
    expect(await states(room, place)).toEqual(['answered', 'answered', 'answered'])
    const said = (await room.messages(place.key)).map(({ content }) => content)
    expect(said).toEqual(['hello', 'hi', 'one', 'two', '1', '2'])
  },
)

test.each(['chat', 'role'] as const)(
  '[CH15] when a turn is stopped (%s), the next begins with its end',
  async (kind) => {
    const room = await open()
    const place = await warm(room, kind)
    await place.ask('one')
    await place.ask('two')
    await room.store.run(stopTurns, { key: place.key, by })
    expect(await states(room, place)).toEqual(['answered', 'running', 'queued'])
    const { turnId, launchId } = await room.runningTurn(place.key)
    await room.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
    expect(await states(room, place)).toEqual(['answered', 'cancelled', 'running'])
  },
)

test('[AG6] the end of a limit begins the turn of a chat that is to go on', async () => {
  const room = await open()
  const place = await warm(room, 'chat')
  await place.ask('one')
  const { turnId, launchId } = await room.runningTurn(place.key)
  const error = "You've hit your usage limit. Try again in 30 seconds."
  await room.tell(turnEnded(launchId, turnId, { outcome: 'failed', error }))
  const { agentId } = place
  await room.store.run(goOnInChat, { projectId: room.projectId, agentId, goOn: true, by })
  await room.scan()
  expect((await states(room, place)).at(-1)).not.toBe('running')
  room.clock.advance(31_000)
  await room.store.run(endLimit, await room.limited(place.key))
  expect((await states(room, place)).at(-1)).toBe('running')
})

const pairs = [
  ['chat', 'chat'],
  ['chat', 'role'],
  ['role', 'chat'],
  ['role', 'role'],
  ['pulled', 'chat'],
  ['pulled', 'role'],
] as const

async function twoInOneFolder(one: KindOfTurn, other: KindOfTurn) {
  const room = await open()
  const folder = mkdtempSync(join(tmpdir(), 'hf-shared-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await room.store.run(changeProject, { projectId: room.projectId, path: folder, by })
  room.works({ workspace: folder, branch: null })
  const second = await warm(room, other)
  const first = await room.places[one]()
  await first.ask('long')
  await first.begin()
  await second.ask('after it')
  expect(await states(room, second)).toEqual(['answered', 'queued'])
  return { room, first, second }
}

test.each(pairs)(
  '[CX9] the end of a turn (%s) begins one that waited for its folder (%s)',
  async (one, other) => {
    const { room, first, second } = await twoInOneFolder(one, other)
    await first.answer('done')
    expect(await states(room, second)).toEqual(['answered', 'running'])
  },
)

test.each(pairs)('[CX9] a person lets a turn begin beside another (%s, %s)', async (one, other) => {
  const { room, first, second } = await twoInOneFolder(one, other)
  await room.store.run(beginTurn, { key: second.key, by })
  expect(await states(room, second)).toEqual(['answered', 'running'])
  expect((await states(room, first)).at(-1)).toBe('running')
})

test.each(pairs)(
  '[CX9] the end of the process of a turn (%s) begins what waited (%s)',
  async (one, other) => {
    const { room, first, second } = await twoInOneFolder(one, other)
    await first.die()
    expect(await states(room, second)).toEqual(['answered', 'running'])
  },
)
