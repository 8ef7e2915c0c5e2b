/**
 * The files of work sessions: the layout of the specification, only what was touched is written,
 * whole at every moment.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import { projectFolder } from '../../src/mirror/project-folder.ts'
import { restoreArtifact } from '../../src/offline/restore-from-folder.ts'
import { ApproachesFile } from '../../src/protocol/work/approaches-file.ts'
import { RemainingTasksFile, StateCheckpoint } from '../../src/protocol/work/state-checkpoint.ts'
import { WorkSessionFile } from '../../src/protocol/work/work-session-file.ts'
import {
  createApproval,
  decideApproval,
} from '../../src/services/flows/approvals/request-approval.ts'
import { createProject } from '../../src/services/projects/change-project.ts'
import { changeApproach, recordApproach } from '../../src/services/work/change-approach.ts'
import { changeTask, createTask } from '../../src/services/work/change-task.ts'
import { createWorkSession, endWorkSession } from '../../src/services/work/end-work-session.ts'
import { resumeWorkSession } from '../../src/services/work/resume-work-session.ts'
import { approachesExample, checkpointExample } from '../support/continuity-examples.ts'
import { openTestStore } from '../support/store.ts'

const quiet = pino({ level: 'silent' })
const by = 'owner'

async function openMirrored() {
  const opened = await openTestStore()
  const { store, clock, folder } = opened
  const startMirror = () =>
    new Mirror({ store, clock, logger: quiet, folder, targets: [projectFolder] })
  const mirror = startMirror()
  const { id: projectId } = await store.run(createProject, { name: 'p', by })
  const begin = (
    words: { contextSummary?: string; phase?: number; agentRole?: string; agentType?: string } = {},
  ) => store.run(createWorkSession, { projectId, ...words })
  const folderOf = (id: string) => join(folder, 'projects', projectId, 'sessions', id)
  const read = async (id: string, name: string) =>
    JSON.parse(await readFile(join(folderOf(id), name), 'utf8'))
  const task = (
    workSessionId: string,
    phase: number,
    type: string,
    title = 't',
    more: { dependsOn?: string[]; assignedTo?: string } = {},
  ) => store.run(createTask, { projectId, workSessionId, phase, type, title, ...more, by })
  const change = (taskId: string, asked: object) =>
    store.run(changeTask, { projectId, taskId, ...asked, by })
  return { ...opened, mirror, startMirror, projectId, begin, folderOf, read, task, change }
}

describe('the layout', () => {
  test('[CK9] the state of the specification’s example comes out to the letter', async () => {
    const { store, clock, mirror, projectId, begin, task, change, read } = await openMirrored()
    const said = checkpointExample.context_summary
    const { id } = await begin({
      contextSummary: said,
      phase: 2,
      agentRole: 'LEADER',
      agentType: 'code',
    })
    for (const type of ['concept', 'design']) {
      const { id: taskId } = await task(id, 1, type)
      for (const status of ['in_progress', 'completed']) await change(taskId, { status })
      const asked = { projectId, workSessionId: id, taskId, checkpointType: type, leaderId: 'lead' }
      const { id: approvalId } = await store.run(createApproval, asked)
      await store.run(decideApproval, { projectId, approvalId, status: 'approved', by })
    }
    for (const n of [1, 2]) {
      const { id: taskId } = await task(id, 2, 'code', `step ${n}`)
      await change(taskId, { status: 'in_progress' })
      await change(taskId, { status: 'failed' })
    }
    const { id: active } = await task(id, 2, 'code', 'Implement PlayerController', {
      assignedTo: 'leader_code',
    })
    await task(id, 2, 'asset', 'assets', { dependsOn: [active] })
    for (const n of [4, 5]) await task(id, 2, 'code', `step ${n}`)
    await change(active, { status: 'in_progress' })
    await change(active, { progressPercent: 70 })
    clock.advance(60_000)
    const { endedAt } = await store.run(endWorkSession, {
      projectId,
      workSessionId: id,
      reason: 'connection_error',
    })
    await mirror.settled(projectStream(projectId))
    const written = await read(id, 'state_checkpoint.json')
    const { error, ...rest } = written
    expect(rest).toEqual({
      ...checkpointExample,
      project_id: projectId,
      session_id: id,
      timestamp: endedAt,
    })
    expect(Object.keys(rest)).toEqual(Object.keys(checkpointExample))
    expect(error).toEqual({ code: 'connection_error', message: expect.any(String), at: endedAt })
    expect(StateCheckpoint.parse(written)).toEqual(written)
    const remaining = await read(id, 'remaining_tasks.json')
    expect(RemainingTasksFile.parse(remaining)).toEqual(remaining)
    expect(remaining).toMatchObject({
      schema_version: '1.0',
      session_id: id,
      remaining_tasks: checkpointExample.remaining_tasks,
    })
    const whole = await read(id, 'work_session.json')
    expect(WorkSessionFile.parse(whole)).toEqual(whole)
  })

  test('[AR2] the approaches of the specification’s example come out to the letter', async () => {
    const { store, mirror, projectId, begin, read } = await openMirrored()
    const { id } = await begin()
    for (const kind of ['verified', 'failed', 'untried'] as const)
      for (const {
        id: _,
        date: __,
        failure_reason: failureReason,
        next_to_try: nextToTry,
        ...words
      } of approachesExample[kind])
        await store.run(recordApproach, {
          projectId,
          workSessionId: id,
          kind,
          ...words,
          failureReason,
          nextToTry,
          by,
        })
    await mirror.settled(projectStream(projectId))
    const written = await read(id, 'approaches.json')
    const today = new Date(written.last_updated).toISOString().slice(0, 10)
    const dated = (list: object[]) =>
      list.map((each) => ('date' in each ? { ...each, date: today } : each))
    const { verified, failed, untried, ...head } = approachesExample
    expect(written).toEqual({
      ...head,
      session_id: id,
      last_updated: written.last_updated,
      verified: dated(verified),
      failed: dated(failed),
      untried: dated(untried),
    })
    expect(ApproachesFile.parse(written)).toEqual(written)
  })

  test('[CK2] the examples themselves fit the schemas that are published', () => {
    expect(StateCheckpoint.parse(checkpointExample)).toEqual(checkpointExample)
    expect(ApproachesFile.parse(approachesExample)).toEqual(approachesExample)
  })
})

describe('following the log', () => {
  test('[CK2] only those work sessions are written in which something happened', async () => {
    const { store, mirror, projectId, begin, folderOf, task } = await openMirrored()
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push((await begin()).id)
    await mirror.settled(projectStream(projectId))
    expect((await readdir(join(folderOf('x'), '..'))).sort()).toEqual(ids.toSorted())
    const inodes = () =>
      Promise.all(
        ids.map(async (id) => (await stat(join(folderOf(id), 'state_checkpoint.json'))).ino),
      )
    const before = await inodes()
    await task(ids[7] as string, 1, 'code')
    await mirror.settled(projectStream(projectId))
    const after = await inodes()
    expect(after.filter((inode, n) => inode !== before[n])).toHaveLength(1)
    expect(after[7]).not.toBe(before[7])
    await store.run(createProject, { name: 'other', by })
  })

  test('[AR2] what is learned stands in the files of all that go back to its source', async () => {
    const { store, mirror, projectId, begin, read } = await openMirrored()
    const { id: parent } = await begin()
    const learn = (workSessionId: string, description: string) =>
      store.run(recordApproach, {
        projectId,
        workSessionId,
        kind: 'untried',
        category: 'c',
        description,
        by,
      })
    await learn(parent, 'of the parent')
    await store.run(endWorkSession, { projectId, workSessionId: parent, reason: 'x' })
    const outcome = await store.run(resumeWorkSession, { projectId, workSessionId: parent, by })
    const child = outcome.outcome === 'failed' ? '' : outcome.resumed.session.id
    await learn(child, 'of the child')
    await mirror.settled(projectStream(projectId))
    const words = async (id: string) =>
      (await read(id, 'approaches.json')).untried.map(
        ({ description }: { description: string }) => description,
      )
    expect(await words(child)).toEqual(['of the parent', 'of the child'])
    expect(await words(parent)).toEqual(['of the parent'])
    await store.run(changeApproach, {
      projectId,
      workSessionId: parent,
      approachId: 'approach_u001',
      kind: 'verified',
      by,
    })
    await mirror.settled(projectStream(projectId))
    expect((await read(child, 'approaches.json')).verified).toMatchObject([{ id: 'approach_u001' }])
  })

  test('[CK3] what a crash took is written again, and lost files come back', async () => {
    const { mirror, startMirror, projectId, begin, folder, folderOf, read, task } =
      await openMirrored()
    const [one, two] = [await begin(), await begin()]
    await mirror.stop()
    await task(one.id, 1, 'code')
    await rm(join(folderOf(two.id)), { recursive: true })
    await rm(join(folder, 'projects', projectId, '.mirror.json'))
    const next = startMirror()
    next.start()
    await next.flush()
    expect(await read(one.id, 'remaining_tasks.json')).toMatchObject({
      remaining_tasks: [{ status: 'pending' }],
    })
    expect(await read(two.id, 'state_checkpoint.json')).toMatchObject({ session_id: two.id })
  })

  test('[CK2] [RE9] an artifact that cannot be written keeps no other file waiting', async () => {
    const { store, mirror, projectId, begin, folderOf, read, task } = await openMirrored()
    const { id: bad } = await begin()
    const { id: good } = await begin()
    // Somebody has made a folder of that name.
    await mkdir(join(folderOf(bad), 'artifacts', 'report', 'inside'), { recursive: true })
    const place = { projectId, workSessionId: bad, name: 'report' }
    await restoreArtifact(store, place, undefined, Readable.from([Buffer.from('bytes')]), by)
    for (const id of [bad, good]) await task(id, 1, 'code', 'said before')
    await expect(mirror.settled(projectStream(projectId))).rejects.toThrow('EISDIR')
    for (const id of [bad, good])
      expect(await read(id, 'remaining_tasks.json')).toMatchObject({ remaining_tasks: [{}] })
    await rm(join(folderOf(bad), 'artifacts', 'report'), { recursive: true })
    await mirror.settled(projectStream(projectId))
    expect(await readFile(join(folderOf(bad), 'artifacts', 'report'), 'utf8')).toBe('bytes')
  })

  test('[CK6] files of an ended work session stay; news of it stands beside them', async () => {
    const { store, clock, mirror, projectId, begin, folderOf, read, task, change } =
      await openMirrored()
    const { id: parent } = await begin()
    const { id: first } = await task(parent, 1, 'code', 'first')
    await change(first, { status: 'in_progress' })
    await task(parent, 1, 'code', 'second')
    await store.run(recordApproach, {
      projectId,
      workSessionId: parent,
      kind: 'untried',
      category: 'c',
      description: 'd',
      by,
    })
    await store.run(endWorkSession, { projectId, workSessionId: parent, reason: 'power' })
    // Resumed before any file was written: the state is the one of the commit that ended it.
    const resume = async (workSessionId: string) => {
      const outcome = await store.run(resumeWorkSession, { projectId, workSessionId, by })
      return outcome.outcome === 'failed' ? '' : outcome.resumed.session.id
    }
    const child = await resume(parent)
    await mirror.settled(projectStream(projectId))
    const names = ['state_checkpoint.json', 'approaches.json', 'remaining_tasks.json']
    const written = () =>
      Promise.all(names.map((name) => readFile(join(folderOf(parent), name), 'utf8')))
    const before = await written()
    expect(JSON.parse(before[0] ?? '')).toMatchObject({
      interruption_reason: 'power',
      pending_tasks: [{ task_id: first, status: 'in_progress' }],
      remaining_tasks: [{ task_id: 'task_p1_code_002' }],
    })
    expect(JSON.parse(before[2] ?? '').remaining_tasks).toHaveLength(1)
    clock.advance(60_000)
    await store.run(changeApproach, {
      projectId,
      workSessionId: child,
      approachId: 'approach_u001',
      kind: 'verified',
      by,
    })
    await change(first, { status: 'completed' })
    await change('task_p1_code_002', { status: 'in_progress' })
    await change('task_p1_code_002', { status: 'completed' })
    await store.run(endWorkSession, { projectId, workSessionId: child })
    await mirror.settled(projectStream(projectId))
    expect(await written()).toEqual(before)
    expect(await read(parent, 'work_session.json')).toMatchObject({
      work_session: { resumed_by: child },
      tasks: [],
      since: {
        completed_in: child,
        tasks: [{ id: first, status: 'completed', session_id: child }, { status: 'completed' }],
      },
    })
    expect((await read(child, 'state_checkpoint.json')).completed_tasks).toHaveLength(2)
    expect((await read(child, 'approaches.json')).verified).toHaveLength(1)
  })

  test('[CK10] a grandchild’s checkpoint says once what the whole line completed', async () => {
    const { store, mirror, projectId, begin, read, task, change } = await openMirrored()
    const { id: parent } = await begin()
    const ids: string[] = []
    for (const title of ['first', 'second', 'third'])
      ids.push((await task(parent, 1, 'code', title)).id)
    const complete = async (id = '') => {
      await change(id, { status: 'in_progress' })
      await change(id, { status: 'completed' })
    }
    const goOn = async (workSessionId: string) => {
      await store.run(endWorkSession, { projectId, workSessionId, reason: 'power' })
      const outcome = await store.run(resumeWorkSession, { projectId, workSessionId, by })
      return outcome.outcome === 'failed' ? '' : outcome.resumed.session.id
    }
    await complete(ids[0])
    const child = await goOn(parent)
    await complete(ids[1])
    const grandchild = await goOn(child)
    await mirror.settled(projectStream(projectId))
    const completed = async (id: string) =>
      (await read(id, 'state_checkpoint.json')).completed_tasks.map(
        ({ task_id }: { task_id: string }) => task_id,
      )
    expect(await completed(grandchild)).toEqual(ids.slice(0, 2))
    expect((await read(grandchild, 'state_checkpoint.json')).remaining_tasks).toMatchObject([
      { task_id: ids[2] },
    ])
    await complete(ids[2])
    await store.run(endWorkSession, { projectId, workSessionId: grandchild })
    await mirror.settled(projectStream(projectId))
    expect(await completed(grandchild)).toEqual(ids)
    expect(await completed(parent)).toEqual(ids.slice(0, 1))
    // Rows stay where they are: each work session's file has its own.
    expect(
      (await read(grandchild, 'work_session.json')).tasks.map(({ id }: { id: string }) => id),
    ).toEqual([ids[2]])
    expect(
      (await read(child, 'work_session.json')).since.tasks.map(({ id }: { id: string }) => id),
    ).toEqual([ids[2]])
  })

  test('[CK9] a failed task stands in the checkpoint when nothing else is left', async () => {
    const { store, mirror, projectId, begin, read, task, change } = await openMirrored()
    const { id } = await begin()
    const { id: failed } = await task(id, 1, 'code')
    const { id: other } = await task(id, 1, 'code')
    for (const each of [failed, other]) await change(each, { status: 'in_progress' })
    await change(failed, { status: 'failed', result: 'no ground' })
    await mirror.settled(projectStream(projectId))
    expect((await read(id, 'state_checkpoint.json')).pending_tasks).toMatchObject([
      { task_id: other },
    ])
    await change(other, { status: 'completed' })
    await store.run(endWorkSession, { projectId, workSessionId: id, reason: 'power' })
    await mirror.settled(projectStream(projectId))
    const written = await read(id, 'state_checkpoint.json')
    expect(written).toMatchObject({
      pending_tasks: [{ task_id: failed, status: 'failed' }],
      completed_tasks: [{ task_id: other }],
    })
    expect(StateCheckpoint.parse(written)).toEqual(written)
  })

  test('[CK6] an older version’s file of an ended work session stays as it is', async () => {
    const { store, folder, mirror, startMirror, projectId, begin, folderOf, task } =
      await openMirrored()
    const { id } = await begin()
    await task(id, 1, 'code')
    await store.run(endWorkSession, { projectId, workSessionId: id, reason: 'power' })
    await mirror.stop()
    const path = join(folderOf(id), 'state_checkpoint.json')
    const before = await readFile(path, 'utf8')
    // As the rows of the version before are after an upgrade.
    const database = new DatabaseSync(join(folder, 'holdfast.db'))
    database.exec('update checkpoints set state = null')
    database.close()
    await rm(join(folder, 'projects', projectId, '.mirror.json'))
    await store.run(resumeWorkSession, { projectId, workSessionId: id, by })
    const next = startMirror()
    next.start()
    await next.flush()
    expect(await readFile(path, 'utf8')).toBe(before)
    expect(JSON.parse(before).remaining_tasks).toHaveLength(1)
  })
})
