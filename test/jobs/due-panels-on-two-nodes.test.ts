import { expect, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import { listAgentSessions } from '../../src/services/agent-sessions/queries.ts'
import { startChat, touchPanels } from '../../src/services/flows/conversations/start-chat.ts'
import { postKey, selectPanels } from '../../src/store/conversations/panels.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { openRoom } from '../services/conversations/chat-room.ts'
import { by } from '../services/projects/installation.ts'
import { panelLooks } from '../support/due-work.ts'
import { manualClock } from '../support/manual-clock.ts'
import { newPostgresStoreUrl } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'

test('[SC2] [CH5] a panel that either node sees stays open, and the last closes once', async () => {
  const url = await newPostgresStoreUrl()
  const clock = manualClock()
  const nodes = [await openPostgres({ url, clock }), await openPostgres({ url, clock })] as const
  const room = await openRoom(nodes[0])
  const pair = { projectId: room.projectId, agentId: 'ann' }
  const panelIds = Array.from({ length: 10 }, (_, number) => `p${number}`)
  await Promise.all(
    panelIds.map((panelId, at) => nodes[at % 2]?.run(startChat, { ...pair, panelId, by })),
  )
  await room.begin()
  const sweepers = nodes.map((store) => panelLooks({ store, clock, logger: nowhere }))
  const sweep = () => Promise.all(sweepers.map((sweeper) => sweeper.run()))
  const state = async () =>
    (await nodes[1].query(listAgentSessions, { projectId: room.projectId, limit: 1 })).items[0]
      ?.state
  await sweep()
  for (let passed = 0; passed < 62_000; passed += 2000) {
    clock.advance(2000)
    await Promise.all(
      nodes.map((store) => store.run(touchPanels, { panelIds: panelIds.slice(0, 2) })),
    )
    await sweep()
  }
  const left = () =>
    nodes[0].read((reader) =>
      reader.all(selectPanels, { ...postKey({ ...pair, agentId: 'ann', lane: '' }), limit: 99 }),
    )
  expect((await left()).map(({ panel_id }) => panel_id).sort()).toEqual(['p0', 'p1'])
  expect(await state()).toBe('active')
  for (let passed = 0; passed < 60_000; passed += 2000) {
    clock.advance(2000)
    await sweep()
  }
  expect([await left(), await state()]).toEqual([[], 'terminating'])
  const events = await nodes[1].eventsAfter(projectStream(room.projectId), 0, 100)
  expect(events.filter(({ type }) => type === 'agent-session-terminating')).toHaveLength(1)
}, 60_000)
