/**
 * What lets work go on, with two nodes on one PostgreSQL: the same as on SQLite, and serial between
 * the two.
 */
import { expect, test } from 'vitest'
import { sweepExpired } from '../../../src/services/system/sweep-expired.ts'
import { changeApproach, recordApproach } from '../../../src/services/work/change-approach.ts'
import {
  endWorkSession,
  saveCheckpoint,
  saveDueCheckpoint,
} from '../../../src/services/work/end-work-session.ts'
import {
  findRunningWork,
  getArtifact,
  getLineage,
  getWorkSession,
  listApproaches,
  listArtifacts,
  listInterrupted,
  listProjectApproaches,
  readUploadPart,
} from '../../../src/services/work/queries.ts'
import { restoreWorkSession } from '../../../src/services/work/restore-work-session.ts'
import { resumeWorkSession } from '../../../src/services/work/resume-work-session.ts'
import {
  addUploadPart,
  beginUpload,
  storeArtifact,
} from '../../../src/services/work/upload-artifact.ts'
import { approachesExample, checkpointExample } from '../../support/continuity-examples.ts'
import { usePostgres } from '../../support/postgres.ts'
import { openNodes } from '../../support/postgres-store.ts'
import { by } from '../projects/installation.ts'
import { openProject } from './work-room.ts'

usePostgres()

test('[RS3] resumed on two nodes at once there is one child; approaches recorded at once have ids of their own', async () => {
  const nodes = await openNodes()
  const [one, two] = nodes
  const { projectId, workSessionId, task, start, complete } = await openProject(one)
  const place = { projectId, workSessionId, by }
  const record = (n: number) =>
    nodes[n % 2 ? 1 : 0].run(recordApproach, {
      ...place,
      kind: 'failed',
      category: 'c',
      description: `way ${n}`,
    })
  const recorded = await Promise.all(Array.from({ length: 30 }, (_, n) => record(n)))
  expect(new Set(recorded.map(({ id }) => id)).size).toBe(30)
  await one.run(recordApproach, {
    ...place,
    kind: 'untried',
    category: 'c',
    description: 'next',
    nextToTry: true,
  })
  await two.run(changeApproach, { ...place, approachId: 'approach_f001', note: 'really' })
  const [first, second] = [await task(), await task()]
  await complete(first.id)
  await start(second.id)
  await two.run(saveCheckpoint, { projectId, workSessionId, contextSummary: 'half way' })
  await one.run(endWorkSession, { projectId, workSessionId, reason: 'x' })
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) => nodes[n % 2 ? 1 : 0].run(resumeWorkSession, place)),
  )
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['begun', ...Array(7).fill('same')])
  const [child, ...others] = new Set(
    outcomes.map((each) => (each.outcome === 'failed' ? '' : each.resumed.session.id)),
  )
  expect(others).toEqual([])
  const begun = outcomes.find(({ outcome }) => outcome === 'begun')
  expect(begun).toMatchObject({
    resumed: {
      resumeContext: {
        previousState: 'half way',
        currentTask: { taskId: second.id },
        nextApproaches: [{ id: 'approach_u001' }],
      },
    },
  })
  expect(begun?.outcome === 'begun' && begun.resumed.resumeContext.failedApproaches).toHaveLength(
    30,
  )
  const heirs = { projectId, workSessionId: child ?? '', limit: 20 }
  const page = await two.query(listApproaches, heirs)
  expect(
    (await two.query(listApproaches, { ...heirs, cursor: page.nextCursor ?? '' })).items,
  ).toHaveLength(11)
  expect(
    (await two.query(listProjectApproaches, { projectId, limit: 50, kind: 'untried' })).items,
  ).toHaveLength(1)
  expect((await one.query(listInterrupted, { limit: 5 })).items).toEqual([])
  expect((await one.query(getLineage, { projectId })).items).toMatchObject([
    { id: child },
    { checkpoints: expect.any(Array) },
  ])
  expect(await two.query(getWorkSession, { viewer: null, projectId, workSessionId })).toMatchObject(
    {
      resumedBy: child,
      children: [{ id: child }],
    },
  )
  const [running] = await one.query(findRunningWork, { projectId: '', workSessionId: '' })
  expect(running).toMatchObject({ workSessionId: child })
  expect(await one.run(saveDueCheckpoint, { projectId, workSessionId: child ?? '' })).toEqual({
    saved: false,
  })
})

test('[CK5] what is uploaded through one node is read through the other; the files of the specification are read here too', async () => {
  const [one, two] = await openNodes()
  const { projectId, workSessionId } = await openProject(one)
  const place = { projectId, workSessionId, name: 'büild.bin' }
  const { uploadId } = await one.run(beginUpload, place)
  await two.run(addUploadPart, { uploadId, number: 0, bytes: 'AAEC' })
  await one.run(addUploadPart, { uploadId, number: 1, bytes: '/w==' })
  await two.run(storeArtifact, { ...place, uploadId, size: 4, sha256: 'x', mediaType: 'a/b', by })
  expect(await one.query(getArtifact, place)).toMatchObject({ uploadId, artifact: { size: 4 } })
  expect(await one.query(readUploadPart, { uploadId, number: 1 })).toBe('/w==')
  expect(
    (await two.query(listArtifacts, { projectId, workSessionId, limit: 5 })).items,
  ).toHaveLength(1)
  await one.run(sweepExpired, {})
  const example = {
    projectId: checkpointExample.project_id,
    workSessionId: checkpointExample.session_id,
  }
  const files = { checkpoint: checkpointExample, approaches: approachesExample }
  expect(await two.run(restoreWorkSession, { ...example, files, by })).toMatchObject({
    restored: { tasks: 6, approaches: 7 },
  })
  expect(await one.run(resumeWorkSession, { ...example, by })).toMatchObject({ outcome: 'begun' })
})
