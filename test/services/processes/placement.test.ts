/** Agents run where they and their project ask for it (SC4). */
import { expect, test } from 'vitest'
import { changeAgent } from '../../../src/services/agents/change-agent.ts'
import { listCoordinators } from '../../../src/services/processes/queries.ts'
import { changeProject } from '../../../src/services/projects/change-project.ts'
import { openTestStore } from '../../support/store.ts'
import { by } from '../projects/installation.ts'
import { openPad, playCoordinator } from './launch-pad.ts'

const openMachines = async () => {
  const { store, clock } = await openTestStore()
  const pad = await openPad(store, clock)
  const gpu = playCoordinator(pad.launches, 'with-gpu')
  gpu.about = { labels: ['gpu', 'eu'], capacity: 2 }
  return { store, pad, gpu }
}

test('[SC4] an agent that asks for a label is started where it is, and waits while nobody has it', async () => {
  const { store, pad, gpu } = await openMachines()
  await store.run(changeAgent, { agentId: pad.agentId, runsOn: 'gpu', by })
  await pad.say('hello')
  expect(await pad.order()).toBeNull()
  expect((await gpu.register()).maxConcurrent).toBe(2)
  expect(await pad.order()).toMatchObject({ coordinatorId: gpu.id })
  const { items } = await store.query(listCoordinators, { limit: 10 })
  expect(items).toMatchObject([
    { id: gpu.id, labels: ['eu', 'gpu'], capacity: 2, processes: 1 },
    { id: pad.coordinator.id, labels: [], capacity: null, processes: 0 },
  ])
})

test('[SC4] a project may ask too, and then both count', async () => {
  const { store, pad, gpu } = await openMachines()
  await gpu.register()
  await store.run(changeProject, {
    projectId: pad.projectId,
    settings: { 'agent.runs_on': 'eu' },
    by,
  })
  await store.run(changeAgent, { agentId: pad.agentId, runsOn: 'us', by })
  await pad.say('hello')
  expect(await pad.order()).toBeNull()
  await store.run(changeAgent, { agentId: pad.agentId, runsOn: null, by })
  expect(await pad.order()).toMatchObject({ coordinatorId: gpu.id })
})

test('[SC4] a label that is none is refused', async () => {
  const { store, pad } = await openMachines()
  const settings = { 'agent.runs_on': 'Not A Label' }
  await expect(
    store.run(changeProject, { projectId: pad.projectId, settings, by }),
  ).rejects.toMatchObject({
    code: 'invalid_setting',
  })
})
