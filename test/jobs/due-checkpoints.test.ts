import { expect, test } from 'vitest'
import { dueCheckpoints } from '../../src/jobs/due-upkeep.ts'
import { handleDue } from '../../src/jobs/due-work.ts'
import { createWorkSession, endWorkSession } from '../../src/services/work/end-work-session.ts'
import { getWorkSession } from '../../src/services/work/queries.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { openProject, sharedStore } from '../services/work/work-room.ts'

const shared = sharedStore()

test('[CK1] running work that has changed is saved every five minutes, other never', async () => {
  const { store, clock } = shared
  const { projectId, workSessionId, task } = await openProject(store)
  const still = await store.run(createWorkSession, { projectId })
  const over = await store.run(createWorkSession, { projectId })
  await store.run(endWorkSession, { projectId, workSessionId: over.id })
  const periodic = async (id: string) =>
    (
      await store.query(getWorkSession, { viewer: null, projectId, workSessionId: id })
    ).checkpoints.filter(({ reason }) => reason === 'periodic').length
  const pass = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await handleDue(dueCheckpoints(store, clock), { clock, logger: nowhere })
  }
  await pass(60)
  await task()
  await pass(200)
  expect(await periodic(workSessionId)).toBe(0)
  await pass(41)
  expect(await periodic(workSessionId)).toBe(1)
  await pass(600)
  expect(await periodic(workSessionId)).toBe(1)
  await task()
  await pass(1)
  expect(await periodic(workSessionId)).toBe(2)
  expect([await periodic(still.id), await periodic(over.id)]).toEqual([0, 0])
})
