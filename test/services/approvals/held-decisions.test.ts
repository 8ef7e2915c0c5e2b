/** Decisions that are held for some seconds (AP15), on the store alone. */
import { expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { readApproval } from '../../../src/services/approvals/queries.ts'
import { takeBackDecision } from '../../../src/services/flows/approvals/held-decisions.ts'
import { decideApproval } from '../../../src/services/flows/approvals/request-approval.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { openProject, sharedStore } from '../work/work-room.ts'

const shared = sharedStore()
const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })

async function openHeld() {
  const { store, clock } = shared
  const room = await openProject(store)
  const { id: approvalId } = await room.ask()
  const { projectId } = room
  const decide = (status: 'approved' | 'rejected', hold?: number, person = 'mia') =>
    store.run(decideApproval, { projectId, approvalId, status, hold, by: person, feedback: 'why' })
  return {
    ...room,
    approvalId,
    decide,
    takeBack: (person: string) => store.run(takeBackDecision, { approvalId, by: person }),
    read: () => store.query(readApproval, { viewer: null, projectId, approvalId }),
    types: async () =>
      (await eventsOf(store, projectStream(projectId)))
        .map(({ type }) => type)
        .filter((type) => type.startsWith('approval-')),
    /** The server's look for due work. */
    look: () => userSessionLooks({ store, clock, logger }).run(),
  }
}

test('[AP15] a held decision is carried out when its time is over, by whichever server looks', async () => {
  const { clock } = shared
  const { decide, read, look, types } = await openHeld()
  const until = new Date(clock.now() + 5000).toISOString()
  const held = { by: 'mia', until, status: 'approved' }
  const pending = { status: 'pending', decidedBy: 'mia', resolvedAt: null, held }
  expect(await decide('approved', 5)).toMatchObject(pending)
  clock.advance(4999)
  await look()
  expect(await read()).toMatchObject(pending)
  clock.advance(1)
  await look()
  await look()
  expect(await read()).toMatchObject({
    status: 'approved',
    decidedBy: 'mia',
    feedback: 'why',
    held: null,
  })
  expect(await types()).toEqual(['approval-asked', 'approval-held', 'approval-decided'])
})

test('[AP15] beside it nobody decides, and only who made it takes it back', async () => {
  const { store } = shared
  const { decide, read, look, takeBack, types } = await openHeld()
  await decide('approved', 10)
  const byMia = { code: 'approval_decided', fields: { decidedBy: 'mia', decision: 'approved' } }
  for (const attempt of [
    () => decide('rejected', undefined, 'noa'),
    () => decide('rejected', 5, 'noa'),
    () => decide('rejected'),
    () => takeBack('noa'),
  ])
    expect(await refused(store, attempt)).toEqual(byMia)
  expect(await takeBack('mia')).toMatchObject({ status: 'pending', decidedBy: null, held: null })
  shared.clock.advance(10_000)
  await look()
  expect(await read()).toMatchObject({ status: 'pending', held: null })
  expect(await refused(store, () => takeBack('mia'))).toMatchObject({ code: 'wrong_state' })
  expect(await decide('rejected', undefined, 'noa')).toMatchObject({ decidedBy: 'noa' })
  expect(await refused(store, () => takeBack('mia'))).toMatchObject({ code: 'approval_decided' })
  expect(await types()).toEqual([
    'approval-asked',
    'approval-held',
    'approval-taken-back',
    'approval-decided',
  ])
})

test.each([0, 11, 2.5, -1])('[AP15] it is held for 1 to 10 seconds, not for %d', async (hold) => {
  const { decide, read } = await openHeld()
  expect(await refused(shared.store, () => decide('approved', hold))).toEqual({
    code: 'invalid_hold',
    fields: { min: 1, max: 10 },
  })
  expect(await read()).toMatchObject({ status: 'pending', held: null })
})

test('[AP15] what ends before is not carried out, and tells who had decided', async () => {
  const { store, clock } = shared
  const { projectId, decide, look } = await openHeld()
  await decide('approved', 5)
  await store.run(deleteProject, { projectId, by })
  const ended = (await eventsOf(store, projectStream(projectId))).find(
    ({ type }) => type === 'approval-decided',
  )
  const over = { status: 'rejected', decidedBy: by, held: { by: 'mia', status: 'approved' } }
  expect(ended?.data).toMatchObject({ approval: over })
  clock.advance(5000)
  await look()
  const decided = (await eventsOf(store, projectStream(projectId))).filter(
    ({ type }) => type === 'approval-decided',
  )
  expect(decided).toHaveLength(1)
})
