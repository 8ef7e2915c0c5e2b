import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../../src/protocol/work/checkpoint.ts'
import { recordApproach } from '../../../src/services/work/change-approach.ts'
import {
  endWorkSession,
  saveCheckpoint,
  saveMyCheckpoint,
} from '../../../src/services/work/end-work-session.ts'
import { getWorkSession } from '../../../src/services/work/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { lastChange } from '../../../src/store/work/work-session-state.ts'
import { by, refused } from '../projects/installation.ts'
import { openProject, sharedStore } from './work-room.ts'

const shared = sharedStore()

async function savedIn(
  store: Store,
  projectId: string,
  workSessionId: string,
): Promise<Checkpoint[]> {
  return (
    await store.query(getWorkSession, { viewer: null, projectId, workSessionId })
  ).checkpoints.toReversed()
}

describe('checkpoints', () => {
  test('[CK1] the state is saved when a task is completed or fails, an approval is decided, an approach recorded, and at the end', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId, task, start, change, complete, ask, decide } =
      await openProject(store)
    const [one, two] = [await task(), await task()]
    await complete(one.id)
    await start(two.id)
    await change(two.id, { status: 'failed', result: { reason: 'no ground' } })
    const failedAt = new Date(clock.now()).toISOString()
    await decide((await ask()).id, 'approved')
    await store.run(recordApproach, {
      projectId,
      workSessionId,
      kind: 'verified',
      category: 'c',
      description: 'd',
      by,
    })
    await store.run(endWorkSession, { projectId, workSessionId, reason: 'connection_error' })
    const saved = await savedIn(store, projectId, workSessionId)
    const error = {
      code: 'task_failed',
      message: `Task ${two.id} failed: {"reason":"no ground"}`,
      at: failedAt,
    }
    expect(saved).toMatchObject([
      { number: 1, reason: 'task_completed', subject: one.id, error: null },
      { number: 2, reason: 'error', subject: two.id, error },
      { number: 3, reason: 'approval_decided', subject: expect.stringMatching(/^\d+$/) },
      { number: 4, reason: 'approach_recorded', subject: 'approach_001' },
      {
        number: 5,
        reason: 'ended',
        subject: null,
        error: { code: 'connection_error', message: expect.any(String) },
      },
    ])
    expect(
      await store.query(getWorkSession, { viewer: null, projectId, workSessionId }),
    ).toMatchObject({
      error: { code: 'connection_error', message: 'The connection to the agent was lost.' },
    })
  })

  test('[CK1] somebody who asks for one says how the work stands; what is not said stays', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const place = { projectId, workSessionId }
    await store.run(saveCheckpoint, { ...place, contextSummary: 'Jumping works', currentPhase: 2 })
    await store.run(saveCheckpoint, place)
    await store.run(saveCheckpoint, { ...place, error: { code: 'rate_limited', message: '429' } })
    expect((await savedIn(store, projectId, workSessionId)).map(({ reason }) => reason)).toEqual([
      'asked',
      'asked',
      'error',
    ])
    expect(await store.query(getWorkSession, { viewer: null, ...place })).toMatchObject({
      contextSummary: 'Jumping works',
      currentPhase: 2,
      error: { code: 'rate_limited', message: '429', at: expect.any(String) },
    })
    const nowhere = { projectId, workSessionId: 'sess_x' }
    expect(await refused(store, () => store.run(saveCheckpoint, nowhere))).toMatchObject({
      code: 'not_found',
    })
  })

  test('[MC2] an agent saves the work it is at', async () => {
    const { store } = shared
    const { projectId, agent } = await openProject(store)
    const { caller, workSessionId } = await agent('ann')
    const saved = await store.run(saveMyCheckpoint, {
      ...caller,
      asked: { contextSummary: 'half way' },
    })
    expect(saved).toMatchObject({ workSessionId, checkpoint: { number: 1, reason: 'asked' } })
    expect(
      await store.query(getWorkSession, { viewer: null, projectId, workSessionId }),
    ).toMatchObject({
      contextSummary: 'half way',
    })
  })

  test('[CK1] it is known when something was changed last, and when it was saved', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId, task, change } = await openProject(store)
    const last = () => store.read((reader) => lastChange(reader, workSessionId))
    const startedAt = new Date(clock.now()).toISOString()
    expect(await last()).toEqual({ changedAt: startedAt, savedAt: startedAt })
    clock.advance(1000)
    const { id } = await task()
    clock.advance(1000)
    await change(id, { title: 'Other words' })
    const changedAt = new Date(clock.now()).toISOString()
    expect(await last()).toEqual({ changedAt, savedAt: startedAt })
    clock.advance(1000)
    await store.run(saveCheckpoint, { projectId, workSessionId })
    expect(await last()).toEqual({ changedAt, savedAt: new Date(clock.now()).toISOString() })
  })
})
