/** Chat panels that name themselves (CH5): tabs, people, reloads, crashes, sleep and restarts. */
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import { listAgentSessions } from '../../src/services/agent-sessions/queries.ts'
import {
  endChat,
  expirePanel,
  maxPanelsOfChat,
  startChat,
  touchPanels,
} from '../../src/services/flows/conversations/start-chat.ts'
import { unassignAgent } from '../../src/services/flows/projects/unassign-agent.ts'
import { assignAgent } from '../../src/services/projects/change-project.ts'
import { postKey, selectPanels, selectPurpose } from '../../src/store/conversations/panels.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { openChatStore, openRoom } from '../services/conversations/chat-room.ts'
import { by, typesOf } from '../services/projects/installation.ts'
import { panelLooks } from '../support/due-work.ts'
import { shakyStore } from '../support/shaky-store.ts'

async function open() {
  const { store, clock, folder } = await openChatStore()
  const room = await openRoom(store)
  const { projectId } = room
  const pair = { projectId, agentId: 'ann' }
  const ann = { ...pair, lane: '' }
  const sweeper = panelLooks({ store, clock, logger: nowhere })
  await sweeper.run()
  return {
    store,
    clock,
    folder,
    room,
    sweeper,
    start: (panelId?: string, who = by) => store.run(startChat, { ...pair, panelId, by: who }),
    end: (panelId?: string, soon = false) => store.run(endChat, { ...pair, panelId, soon, by }),
    see: (...panelIds: string[]) => store.run(touchPanels, { panelIds }),
    /** Time as a machine that is awake sees it. */
    pass: async (ms: number, meanwhile: () => Promise<unknown> = async () => {}) => {
      for (let passed = 0; passed < ms; passed += 2000) {
        clock.advance(2000)
        await meanwhile()
        await sweeper.run()
      }
    },
    panels: async () =>
      (await store.read((reader) => reader.all(selectPanels, { ...postKey(ann), limit: 200 })))
        .map(({ panel_id }) => panel_id)
        .sort(),
    state: async () =>
      (await store.query(listAgentSessions, { projectId, limit: 1 })).items[0]?.state,
    wish: () => store.read((reader) => reader.first(selectPurpose, postKey(ann))),
  }
}

const minute = 60_000

describe('panels that are closed', () => {
  test('[CH5] the session is closed with its last panel, whoever opened it', async () => {
    const { room, start, end, state, panels } = await open()
    await start('tab-1')
    await room.begin()
    await start('tab-2')
    await start('phone', 'per_bob')
    expect((await end('tab-1')).agentSession).toMatchObject({ state: 'active' })
    await end('tab-2')
    expect(await panels()).toEqual(['phone'])
    expect(await state()).toBe('active')
    expect((await end('phone')).agentSession).toMatchObject({ state: 'terminating' })
    expect(await panels()).toEqual([])
  })

  test('[CH5] a wish for the agent stays until the last panel of it is closed', async () => {
    const { start, end, wish } = await open()
    await start('a')
    await start('b')
    await end('a')
    expect(await wish()).toBeDefined()
    await end('b')
    expect(await wish()).toBeUndefined()
  })

  test('[CH5] closing a panel twice, or one that nobody opened, closes no other', async () => {
    const { room, start, end, state } = await open()
    await start('a')
    await room.begin()
    await end('b')
    await end('b')
    expect(await state()).toBe('active')
    await end('a')
    await end('a')
    expect(await state()).toBe('terminating')
  })

  test('[CH5] without a name all are closed', async () => {
    const { room, start, end, state, panels } = await open()
    await start('a')
    await start('b')
    await start()
    await room.begin()
    await end()
    expect(await panels()).toEqual([])
    expect(await state()).toBe('terminating')
  })

  test('[CH5] a panel without a name is closed by that alone, not by any time', async () => {
    const { room, start, end, state, pass, see } = await open()
    await start()
    await start('a')
    await room.begin()
    await end('a')
    await see('', 'a')
    await pass(5 * minute)
    expect(await state()).toBe('active')
    await end()
    expect(await state()).toBe('terminating')
  })

  test('[CH5] a panel opened again is one; of too many the longest unseen goes', async () => {
    const { clock, start, panels } = await open()
    await start('first')
    await start('first')
    expect(await panels()).toEqual(['first'])
    clock.advance(1)
    for (let number = 0; number < maxPanelsOfChat; number++) await start(`p${number}`)
    expect(await panels()).toHaveLength(maxPanelsOfChat)
    expect(await panels()).not.toContain('first')
  })

  test('[CH5] an agent that left the project has no panels there, nor later on', async () => {
    const { store, room, start, panels } = await open()
    await start()
    await start('a')
    await store.run(unassignAgent, { projectId: room.projectId, agentId: 'ann', by })
    await store.run(assignAgent, { projectId: room.projectId, agentId: 'ann', by })
    expect(await panels()).toEqual([])
  })
})

describe('panels that are not seen', () => {
  test('[CH13] a panel unseen for 60 s counts as closed; one that is seen stays', async () => {
    const { room, start, state, panels, pass, see } = await open()
    await start('crashed')
    await start('alive')
    await room.begin()
    await pass(minute - 2000, () => see('alive'))
    expect(await panels()).toEqual(['alive', 'crashed'])
    await pass(2000, () => see('alive'))
    expect(await panels()).toEqual(['alive'])
    expect(await state()).toBe('active')
    await pass(minute - 2000)
    expect(await state()).toBe('active')
    await pass(2000)
    expect(await state()).toBe('terminating')
    expect(await panels()).toEqual([])
  })

  test('[CH5] what was seen between the look and the closing stays open', async () => {
    const { store, clock, room, start, state, see } = await open()
    await start('a')
    await room.begin()
    clock.advance(minute)
    await see('a')
    await store.run(expirePanel, {
      projectId: room.projectId,
      agentId: 'ann',
      lane: '',
      panelId: 'a',
    })
    expect(await state()).toBe('active')
  })

  test('[CH5] seeing a panel that was closed does not open it again', async () => {
    const { start, end, see, panels } = await open()
    await start('a')
    await end('a')
    await see('a')
    expect(await panels()).toEqual([])
  })

  test('[CH5] a session that no panel was opened for is not closed by panels', async () => {
    const { room, pass, state } = await open()
    await room.say('hello')
    await room.begin()
    await pass(2 * minute)
    expect(await state()).toBe('active')
  })

  test('[CH13] a sleep of an hour closes nothing; a tab gone then closes later', async () => {
    const { clock, room, sweeper, start, state, pass } = await open()
    await start('a')
    await room.begin()
    await pass(50_000)
    clock.advance(60 * minute)
    await sweeper.run()
    await pass(minute - 2000)
    expect(await state()).toBe('active')
    await pass(2000)
    expect(await state()).toBe('terminating')
  })

  test('[CH13] a server that was away closes nothing until panels could be seen', async () => {
    const { store, clock, room, start, state } = await open()
    await start('a')
    await room.begin()
    clock.advance(24 * 60 * minute)
    const restarted = panelLooks({ store, clock, logger: nowhere })
    await restarted.run()
    clock.advance(2000)
    await restarted.run()
    expect(await state()).toBe('active')
  })

  test('[CH13] a store that could not be asked for a while closes nothing either', async () => {
    const { store, clock, room, start, state } = await open()
    await start('a')
    await room.begin()
    const { shaky, state: whether } = shakyStore(store)
    const sweeper = panelLooks({ store: shaky, clock, logger: nowhere })
    await sweeper.run()
    whether.isAway = true
    for (let passed = 0; passed < 90_000; passed += 2000) {
      clock.advance(2000)
      await sweeper.run().catch(() => {})
    }
    whether.isAway = false
    await sweeper.run()
    clock.advance(2000)
    await sweeper.run()
    expect(await state()).toBe('active')
  })
})

test('[RE9] a panel that cannot be closed keeps no other open', async () => {
  const { store, clock, room, start, see, panels } = await open()
  await start('bad')
  await start('good')
  await room.begin()
  const shaky = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'run') return typeof value === 'function' ? value.bind(target) : value
      const run: typeof store.run = (useCase, input, receipt) =>
        (input as { panelId?: string }).panelId === 'bad'
          ? Promise.reject(new Error('a row that makes no sense'))
          : store.run(useCase, input, receipt)
      return run
    },
  })
  const sweeper = panelLooks({ store: shaky, clock, logger: nowhere })
  await sweeper.run()
  clock.advance(1)
  await see('good')
  for (let passed = 0; passed < 90_000; passed += 2000) {
    clock.advance(2000)
    await sweeper.run().catch(() => {})
  }
  expect(await panels()).toEqual(['bad'])
})

describe('a page that goes away', () => {
  test('[CH5] a page that is back at once, as in a reload, keeps its session', async () => {
    const { room, start, end, state, panels, pass, see } = await open()
    await start('before')
    await room.begin()
    expect((await end('before', true)).agentSession).toMatchObject({ state: 'active' })
    await pass(4000)
    await start('after')
    await pass(20_000, () => see('after'))
    expect(await panels()).toEqual(['after'])
    expect(await state()).toBe('active')
  })

  test('[CH5] a page that does not come back is closed in ten seconds', async () => {
    const { store, room, start, end, state, pass } = await open()
    await start('tab')
    await room.begin()
    await end('tab', true)
    await pass(8000)
    expect(await state()).toBe('active')
    await pass(2000)
    expect(await state()).toBe('terminating')
    expect((await typesOf(store, projectStream(room.projectId))).at(-1)).toBe(
      'agent-session-terminating',
    )
  })

  test('[CH5] a page without an open panel says nothing new, and the chat is closed', async () => {
    const { room, end, state } = await open()
    await room.begin()
    await end('unknown', true)
    expect(await state()).toBe('terminating')
  })
})
