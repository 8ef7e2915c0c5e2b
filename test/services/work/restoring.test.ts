/** Work sessions brought back from their files, ours and the specification's examples. */
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import {
  approachesFile,
  remainingTasksFile,
  workSessionFile,
} from '../../../src/mirror/work-session-folders.ts'
import { Restored } from '../../../src/protocol/work/resume.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { recordApproach } from '../../../src/services/work/change-approach.ts'
import { endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getWorkSession } from '../../../src/services/work/queries.ts'
import { restoreWorkSession } from '../../../src/services/work/restore-work-session.ts'
import { resumeWorkSession } from '../../../src/services/work/resume-work-session.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  approachesOfLineage,
  changesSinceEnd,
  currentState,
  workSessionRows,
} from '../../../src/store/work/work-session-state.ts'
import { lineageOf } from '../../../src/store/work/work-sessions.ts'
import { approachesExample, checkpointExample } from '../../support/continuity-examples.ts'
import { openTestStore } from '../../support/store.ts'
import { by, refused } from '../projects/installation.ts'
import { openProject } from './work-room.ts'

const example = {
  projectId: checkpointExample.project_id,
  workSessionId: checkpointExample.session_id,
}

async function filesOf(store: Store, id: string) {
  return store.read(async (reader) => {
    const rows = await workSessionRows(reader, id)
    if (!rows) throw new Error('It is not there')
    const approaches = await approachesOfLineage(reader, await lineageOf(reader, rows.workSession))
    return {
      checkpoint: currentState(rows),
      approaches: approachesFile(rows, approaches),
      remainingTasks: remainingTasksFile(currentState(rows)),
      workSession: workSessionFile(rows, await changesSinceEnd(reader, rows)),
    }
  })
}

describe('from the specification’s examples', () => {
  test('[CK4] the files are read as they are, and the work goes on', async () => {
    const { store } = await openTestStore()
    const files = { checkpoint: checkpointExample, approaches: approachesExample }
    const restored = await store.run(restoreWorkSession, { ...example, files, by })
    expect(Restored.parse(restored)).toEqual(restored)
    expect(restored).toMatchObject({
      session: {
        id: example.workSessionId,
        state: 'interrupted',
        interruptionReason: 'connection_error',
        startedAt: '2024-01-15T14:30:00.000Z',
        endedAt: '2024-01-15T16:45:00.000Z',
        currentPhase: 2,
        currentAgentRole: 'LEADER',
        currentAgentType: 'code',
        currentTaskId: 'task_p2_code_003',
      },
      restored: { tasks: 6, approvals: 2, approaches: 7 },
    })
    expect(restored.notRestored.map(({ what }) => what).sort()).toEqual([
      'agent',
      'conversation',
      'history',
      'project',
    ])
    const outcome = await store.run(resumeWorkSession, { ...example, by })
    expect(outcome).toMatchObject({
      outcome: 'begun',
      resumed: {
        session: { parentSessionId: example.workSessionId },
        resumeContext: {
          previousState: checkpointExample.context_summary,
          currentPhase: 2,
          currentTask: {
            taskId: 'task_p2_code_003',
            name: 'Implement PlayerController',
            progressPercent: 70,
          },
          verifiedApproaches: [{ id: 'approach_002' }, { id: 'approach_001' }],
          failedApproaches: [
            { id: 'approach_f002', error: '429 Too Many Requests' },
            { id: 'approach_f001', failureReason: approachesExample.failed[0].failure_reason },
          ],
          nextApproaches: [{ id: 'approach_u001', priority: 'high' }],
        },
      },
    })
    const { resumed } = outcome as { resumed: { remainingTasks: { id: string }[] } }
    expect(resumed.remainingTasks.map(({ id }) => id).sort()).toEqual([
      'task_p2_asset_001',
      'task_p2_code_003',
      'task_p2_code_004',
      'task_p2_code_005',
    ])
  })

  test('[CK4] what is written of them afterwards is what was read', async () => {
    const { store } = await openTestStore()
    await store.run(restoreWorkSession, {
      ...example,
      files: { checkpoint: checkpointExample, approaches: approachesExample },
      by,
    })
    const { checkpoint, approaches } = await filesOf(store, example.workSessionId)
    expect(checkpoint).toEqual(checkpointExample)
    expect(approaches).toEqual({ ...approachesExample, last_updated: '2024-01-15T16:45:00.000Z' })
  })

  test('[ID1] ids that were given out before are not given out again', async () => {
    const { store } = await openTestStore()
    await store.run(restoreWorkSession, {
      ...example,
      files: { checkpoint: checkpointExample, approaches: approachesExample },
      by,
    })
    const made = await store.run(recordApproach, {
      ...example,
      kind: 'failed',
      category: 'c',
      description: 'd',
      by,
    })
    expect(made.id).toBe('approach_f003')
  })

  test.each([
    ['unknown_schema_version', { ...checkpointExample, schema_version: '1.1' }],
    ['unknown_schema_version', { ...checkpointExample, schema_version: '2.0' }],
    ['invalid_request', { ...checkpointExample, schema_version: undefined }],
    ['invalid_request', { ...checkpointExample, session_id: '../../etc' }],
    ['invalid_request', { ...checkpointExample, completed_tasks: 'all' }],
    ['invalid_request', 'no file at all'],
    ['invalid_request', null],
  ])(
    '[CK2] a file that cannot be read is refused with %s, and nothing is changed',
    async (code, checkpoint) => {
      const { store } = await openTestStore()
      expect(
        await refused(store, () =>
          store.run(restoreWorkSession, { ...example, files: { checkpoint }, by }),
        ),
      ).toMatchObject({
        code,
      })
      expect(await store.positions(['home', projectStream(example.projectId)])).toEqual([
        { head: 0, floor: 0 },
        { head: 0, floor: 0 },
      ])
    },
  )

  test('[CK2] an older version is read', async () => {
    const { store } = await openTestStore()
    const checkpoint = { ...checkpointExample, schema_version: '0.9' }
    expect(
      await store.run(restoreWorkSession, { ...example, files: { checkpoint }, by }),
    ).toMatchObject({
      restored: { tasks: 6 },
    })
  })
})

describe('from our own files', () => {
  test('[CK4] nothing is lost: tasks, approvals, approaches with their history, checkpoints', async () => {
    const { store } = await openTestStore()
    const room = await openProject(store)
    const { projectId, workSessionId } = room
    const [one, two] = [
      await room.task({ title: 'Plan', description: 'well' }),
      await room.task({ assignedTo: 'ann' }),
    ]
    await room.change(two.id, { dependsOn: [one.id] })
    await room.complete(one.id)
    await room.decide((await room.ask()).id, 'revision_requested', 'smaller')
    await store.run(recordApproach, {
      projectId,
      workSessionId,
      kind: 'failed',
      category: 'c',
      description: 'd',
      by,
    })
    await store.run(endWorkSession, { projectId, workSessionId, reason: 'power_cut' })
    const whole = await store.query(getWorkSession, { viewer: null, projectId, workSessionId })
    const files = await filesOf(store, workSessionId)

    const { store: empty } = await openTestStore()
    const restored = await empty.run(restoreWorkSession, { projectId, workSessionId, files, by })
    expect(restored.notRestored.map(({ what }) => what).sort()).toEqual([
      'agent',
      'conversation',
      'project',
    ])
    const brought = {
      ...whole,
      approvals: whole.approvals.map((each) => ({ ...each, imported: { decidedBy: by } })),
    }
    expect(await empty.query(getWorkSession, { viewer: null, projectId, workSessionId })).toEqual(
      brought,
    )
    expect(await filesOf(empty, workSessionId)).toEqual(files)
    const again = await empty.run(restoreWorkSession, { projectId, workSessionId, files, by })
    expect(again.restored).toEqual({ tasks: 0, approvals: 0, approaches: 0 })
    expect(await empty.query(getWorkSession, { viewer: null, projectId, workSessionId })).toEqual(
      brought,
    )
  })

  test('[CK4] what the store has is never written over; what ran when it was lost can be resumed', async () => {
    const { store } = await openTestStore()
    const { projectId, workSessionId, task, change } = await openProject(store)
    const { id } = await task({ title: 'as it was' })
    const files = await filesOf(store, workSessionId)
    await change(id, { title: 'as it is' })
    await store.run(restoreWorkSession, { projectId, workSessionId, files, by })
    expect(
      await store.query(getWorkSession, { viewer: null, projectId, workSessionId }),
    ).toMatchObject({
      state: 'running',
      tasks: [{ title: 'as it is' }],
    })
    const { store: empty } = await openTestStore()
    const { session: lost } = await empty.run(restoreWorkSession, {
      projectId,
      workSessionId,
      files,
      by,
    })
    expect(lost).toMatchObject({ state: 'interrupted', interruptionReason: 'store_lost' })
    expect(await empty.run(resumeWorkSession, { projectId, workSessionId, by })).toMatchObject({
      outcome: 'begun',
    })
  })

  test('[CK4] rows that nobody could read, or that claim to be another’s, do not get in', async () => {
    const { store } = await openTestStore()
    const { projectId, workSessionId, task } = await openProject(store)
    const other = await openProject(store)
    await task({ title: 'mine' })
    const files = await filesOf(store, workSessionId)
    const { store: empty } = await openTestStore()
    const attempt = (rows: object) =>
      empty.run(restoreWorkSession, {
        projectId,
        workSessionId,
        files: { ...files, workSession: { ...files.workSession, ...rows } },
        by,
      })
    const [mine] = files.workSession.tasks
    for (const broken of [
      { result: '{"broken' },
      { depends_on: '{}' },
      { created_at: 'yesterday' },
      { status: 'done' },
    ])
      expect(
        await refused(empty, () => attempt({ tasks: [{ ...mine, ...broken }] })),
      ).toMatchObject({ code: 'invalid_request' })
    await attempt({
      tasks: [{ ...mine, project_id: other.projectId, session_id: other.workSessionId }],
    })
    expect(
      await empty.query(getWorkSession, { viewer: null, projectId, workSessionId }),
    ).toMatchObject({
      tasks: [{ title: 'mine', projectId }],
    })
  })

  test('[CK4] a number with no room behind it is refused: whatever is asked next gets the number after it', async () => {
    const { store } = await openTestStore()
    const room = await openProject(store)
    const { projectId, workSessionId } = room
    await room.ask()
    const files = await filesOf(store, workSessionId)
    const [asked] = files.workSession.approvals
    const approvals = [
      { ...asked, id: Number.MAX_SAFE_INTEGER, submitted_at: '2024-01-15T00:00:00.000Z' },
    ]
    const poisoned = { ...files, workSession: { ...files.workSession, approvals } }
    const restore = () =>
      store.run(restoreWorkSession, { projectId, workSessionId, files: poisoned, by })
    expect(await refused(store, restore)).toMatchObject({ code: 'invalid_request' })
    expect((await room.ask()).id).toBeLessThan((await room.ask()).id)
  })

  test('[CK4] a path that no project may have is left out, and said', async () => {
    const { store } = await openTestStore()
    const project = {
      schema_version: '1.0',
      id: example.projectId,
      name: 'game',
      path: '../../etc',
      created_at: '2024-01-15T00:00:00Z',
    }
    const files = { checkpoint: checkpointExample, project }
    const { notRestored } = await store.run(restoreWorkSession, { ...example, files, by })
    const why = { code: 'pathNotAbsolute', params: { path: '../../etc' } }
    const notice = { code: 'noPathHere', params: { why } }
    expect(notRestored).toContainEqual({
      what: 'project',
      detail: 'It has no path here: ../../etc is not absolute',
      notice,
    })
  })

  test('[CK4] files of another work session, or of one that is another project’s, are refused', async () => {
    const { store } = await openTestStore()
    const { workSessionId } = await openProject(store)
    const other = await openProject(store)
    const files = await filesOf(store, workSessionId)
    const elsewhere = { projectId: other.projectId, workSessionId, files, by }
    expect(await refused(store, () => store.run(restoreWorkSession, elsewhere))).toMatchObject({
      code: 'invalid_request',
    })
    await store.run(deleteProject, { projectId: other.projectId, by })
  })
})
