/**
 * Agents are started by need: whatever makes work has it looked at, and a slow look stands behind
 * (CO3, CH1, CH3).
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Tails } from '../../../src/server/live/tail.ts'
import { Launches } from '../../../src/server/processes/launches.ts'
import { Starter } from '../../../src/server/processes/work-scanner.ts'
import { findPostsWithWork } from '../../../src/services/agent-sessions/queries.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import type { Post } from '../../../src/store/agent-sessions/agent-sessions.ts'
import { postsWithWork } from '../../../src/store/agent-sessions/work-at-hand.ts'
import type { Store } from '../../../src/store/store.ts'
import { nowhere } from '../../services/agent-sessions/agent-office.ts'
import {
  exited,
  linkedMachines,
  openPad,
  type Pad,
  rules,
} from '../../services/processes/launch-pad.ts'
import { by } from '../../services/projects/installation.ts'
import { planOf } from '../../services/work/query-plan.ts'
import { testSeals } from '../../support/seals.ts'
import { openTestStore } from '../../support/store.ts'

async function open(bell: (store: Store) => Store = (store) => store) {
  const { store, clock, folder } = await openTestStore()
  const pad = await openPad(store, clock)
  const heard = bell(store)
  const tails = new Tails({ store: heard, clock, logger: nowhere })
  const starter = new Starter({
    store: heard,
    clock,
    logger: nowhere,
    tails,
    launches: pad.launches,
  })
  await starter.start()
  await starter.settled()
  onTestFinished(() => starter.stop())
  return { pad, starter, clock, folder }
}

/** A doorbell that never rings. */
const deaf = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'doorbell') return { on: () => () => {}, onAny: () => () => {} }
      const member = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

const statesOf = async (pad: Pad) => (await pad.processes()).map(({ state }) => state)

test('[RE9] a pair that cannot be looked at keeps no other from being started', async () => {
  const { store, clock } = await openTestStore()
  const pad = await openPad(store, clock)
  const other = await pad.startable(await pad.hire('ben'))
  await pad.say('hello')
  await pad.openPanel(other)
  const launches = Object.assign(
    new Launches(store, rules, linkedMachines(store, clock), testSeals),
    {
      order: (post: Post) =>
        post.agentId === pad.agentId
          ? Promise.reject(new Error('a row that makes no sense'))
          : pad.launches.order(post),
    },
  )
  const heard = deaf(store)
  const starter = new Starter({
    store: heard,
    clock,
    logger: nowhere,
    tails: new Tails({ store: heard, clock, logger: nowhere }),
    launches,
  })
  await starter.start()
  await starter.settled()
  onTestFinished(() => starter.stop())
  expect(await pad.processes()).toMatchObject([{ agentId: other, state: 'waiting' }])
})

describe('what makes work has its agent started', () => {
  test('[CH3] a message, once, however many follow', async () => {
    const { pad, starter } = await open()
    await Promise.all(Array.from({ length: 20 }, (_, n) => pad.say(`message ${n}`)))
    await starter.settled()
    expect(await statesOf(pad)).toEqual(['waiting'])
  })

  test('[CH1] a panel that opens', async () => {
    const { pad, starter } = await open()
    await pad.openPanel()
    await starter.settled()
    expect(await statesOf(pad)).toEqual(['waiting'])
  })

  test('[CO3] a task, beside a chat that is served', async () => {
    const { pad, starter } = await open()
    await pad.say('hello')
    await starter.settled()
    const [{ launchId } = { launchId: '' }] = await pad.processes()
    const { launchToken } = await pad.coordinator.start(launchId)
    await pad.signInAs(launchToken)
    await starter.settled()
    expect(await statesOf(pad)).toEqual(['running'])
    await pad.giveTask()
    await starter.settled()
    expect((await statesOf(pad)).sort()).toEqual(['running', 'waiting'])
  })

  test('[NA2] the end of a session, or of a process, that leaves work behind', async () => {
    const { pad, starter } = await open()
    await pad.say('hello')
    await starter.settled()
    const [first] = await pad.processes()
    const { launchToken } = await pad.coordinator.start(first?.launchId ?? '')
    await pad.signInAs(launchToken)
    await pad.calls.logout(await pad.calls.caller(await pad.bearer(launchToken), undefined))
    await starter.settled()
    expect((await statesOf(pad)).sort()).toEqual(['running', 'waiting'])
    const second = (await pad.processes()).find(({ state }) => state === 'waiting')
    await pad.coordinator.start(second?.launchId ?? '')
    await pad.coordinator.tell(exited(second?.launchId ?? '', { exitCode: 1 }))
    await starter.settled()
    expect((await statesOf(pad)).sort()).toEqual(['ended', 'running', 'waiting'])
  })

  test('[CO3] [CV15] a message in a chat whose key goes on behind the agent', async () => {
    const { pad, starter } = await open()
    const key = `web:${pad.projectId}.${pad.agentId}.second`
    await pad.store.run(getOrCreateConversation, { key })
    await pad.store.run(addMessage, { key, role: 'user', content: 'hello', by })
    await starter.settled()
    expect(await statesOf(pad)).toEqual(['waiting'])
  })

  test('[CO3] an agent is started for what another agent writes to it', async () => {
    const { pad, starter } = await open()
    const { projectId, agentId } = pad
    const bob = await pad.hire('bob')
    await pad.say('ask ann', bob)
    const asking = await pad.signIn(bob)
    const { agentSessionId } = asking
    await pad.store.run(sendMessage, {
      agentSessionId,
      agentId: bob,
      projectId,
      toAgentId: agentId,
      content: 'hello',
    })
    await starter.settled()
    expect(await pad.processes()).toMatchObject([{ agentId, state: 'waiting' }])
  })

  test('[CO3] a coordinator that comes, and an agent that is given a command', async () => {
    const { pad, starter } = await open()
    await pad.coordinator.tell({ type: 'goodbye' })
    await pad.say('hello')
    const bare = await pad.hire('bare')
    await pad.say('hello', bare)
    await starter.settled()
    expect(await pad.processes()).toEqual([])
    await pad.coordinator.register('next', null)
    await expect.poll(() => pad.processes()).toMatchObject([{ agentId: pad.agentId }])
    await pad.startable(bare)
    await expect.poll(() => statesOf(pad)).toEqual(['waiting', 'waiting'])
  })

  test('[CO3] losing every doorbell costs seconds, never a start', async () => {
    const { pad, starter, clock } = await open(deaf)
    await pad.say('hello')
    await starter.settled()
    expect(await pad.processes()).toEqual([])
    clock.advance(3000)
    await starter.settled()
    expect(await statesOf(pad)).toEqual(['waiting'])
  })
})

describe('what is looked at', () => {
  test('[CO3] only pairs that have something to do and can be started, and only while somebody could start them', async () => {
    const { pad, clock } = await open(deaf)
    const pairs = async (filter = {}) =>
      (await pad.store.query(findPostsWithWork, filter)).map(({ agentId }) => agentId)
    const [bare, idle, wished, busy] = await Promise.all(
      ['bare', 'idle', 'wished', 'busy'].map(pad.hire),
    )
    for (const id of [idle, wished, busy]) await pad.startable(id ?? '')
    for (const id of [bare, pad.agentId]) await pad.say('hello', id)
    await pad.openPanel(wished)
    await pad.giveTask(busy)
    expect((await pairs()).sort()).toEqual([pad.agentId, busy, wished].sort())
    expect(await pairs({ agentId: busy })).toEqual([busy])
    expect(await pairs({ projectId: 'elsewhere' })).toEqual([])
    clock.advance(10 * 60_000)
    expect((await pairs()).sort()).toEqual([pad.agentId, busy].sort())
    await pad.coordinator.tell({ type: 'goodbye' })
    expect(await pairs()).toEqual([])
  })

  test('[SP13] a look goes through indexes alone, however much there is', async () => {
    const { folder } = await open(deaf)
    const [last, page] = [
      { projectId: 'p', agentId: 'a', lane: '' },
      { openedAfter: '', limit: 10 },
    ]
    for (const filter of [{}, { projectId: 'p' }, { agentId: 'a' }]) {
      const plan = await planOf(`${folder}/holdfast.db`, (reader) =>
        postsWithWork(reader, filter, last, page),
      )
      // The few projects of one agent may be put in order.
      const unwanted = 'agentId' in filter ? /^SCAN/ : /^SCAN|TEMP B-TREE/
      expect(plan.filter((step) => unwanted.test(step))).toEqual([])
      expect(plan.some((step) => step.includes('tasks_in_progress'))).toBe(true)
    }
  })
})

test('[CO3] a chat that is served costs one look at its session and no write', async () => {
  const { pad, starter } = await open()
  await pad.say('hello')
  await starter.settled()
  const [first] = await pad.processes()
  await pad.launches.stop(first?.launchId ?? '', 'stopped_by_person')
  await starter.settled()
  const again = (await pad.processes()).find(({ state }) => state === 'waiting')
  const { launchToken } = await pad.coordinator.start(again?.launchId ?? '')
  await pad.signInAs(launchToken)
  await starter.settled()
  const before = pad.store.figures().useCases
  await pad.say('one more')
  await starter.settled()
  expect(pad.store.figures().useCases - before).toBe(1)
})
