import { describe, expect, test } from 'vitest'
import { home, projectStream } from '../../../src/domain/stream-name.ts'
import { Resumed, ResumePreview } from '../../../src/protocol/work/resume.ts'
import { recordApproach } from '../../../src/services/work/change-approach.ts'
import { createWorkSession, endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { previewResume } from '../../../src/services/work/preview-resume.ts'
import { getResumeContext, getWorkSession } from '../../../src/services/work/queries.ts'
import { resumeContextOf } from '../../../src/services/work/resume-context.ts'
import {
  type ResumeOutcome,
  resumeWorkSession,
} from '../../../src/services/work/resume-work-session.ts'
import { selectAboutTasks } from '../../../src/store/approvals/approvals.ts'
import { selectCompleted, selectUnfinished } from '../../../src/store/work/tasks.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'
import { placeWorkSession, spoilTask } from './work-rows.ts'

const shared = sharedStore()

function resumedIn(outcome: ResumeOutcome): Resumed {
  if (outcome.outcome === 'failed') throw new Error(`It was not resumed: ${outcome.setAside}`)
  return outcome.resumed
}

async function interrupted() {
  const { store } = shared
  const room = await openProject(store)
  const { projectId, workSessionId, task, start, complete } = room
  const done = await task({ title: 'Plan' })
  await complete(done.id)
  const [at, waits, next] = [
    await task({ title: 'Jump', phase: 2, assignedTo: 'ann' }),
    await task(),
    await task(),
  ]
  await room.change(waits.id, { dependsOn: [at.id] })
  await start(at.id)
  await room.change(at.id, { progressPercent: 70 })
  const failed = { category: 'jump', description: 'velocity.y', failureReason: 'jumps in the air' }
  await store.run(recordApproach, { projectId, workSessionId, kind: 'failed', ...failed, by })
  const interrupt = (id = workSessionId) =>
    store.run(endWorkSession, { projectId, workSessionId: id, reason: 'connection_error' })
  const resume = (id = workSessionId) =>
    store.run(resumeWorkSession, { projectId, workSessionId: id, by })
  return { ...room, done, at, waits, next, interrupt, resume }
}

describe('resuming', () => {
  test('[RS7] a preview says who starts with what, and changes nothing', async () => {
    const { store } = shared
    const { projectId, workSessionId, at, interrupt, resume, get } = await interrupted()
    const preview = () => store.query(previewResume, { projectId, workSessionId })
    await expect(preview()).rejects.toMatchObject({ code: 'work_session_running' })
    await interrupt()
    const before = await get(at.id)
    const found = await preview()
    expect(ResumePreview.parse(found)).toEqual(found)
    const byAgent = (one: { agentId: string | null }) => one.agentId ?? ''
    expect(found.agents.toSorted((a, b) => (byAgent(a) < byAgent(b) ? -1 : 1))).toMatchObject([
      { agentId: null, taskCount: 1, missing: { what: 'agent' } },
      {
        agentId: 'ann',
        task: { id: at.id, title: 'Jump', progressPercent: 70 },
        missing: { what: 'agent' },
      },
    ])
    expect(found.tasks).toEqual({ completed: 1, continuing: 1, ready: 1, waiting: 1, failed: 0 })
    expect(found.learned).toEqual({ verified: 0, failed: 1, decisions: 0 })
    expect(await get(at.id)).toEqual(before)
    const { missing } = resumedIn(await resume())
    expect(found.missing).toEqual(missing)
    // Who asks again learns of the one that runs.
    expect((await preview()).tasks).toMatchObject({ continuing: 1, ready: 1, waiting: 1 })
  })

  test('[RS1] a child goes on where its parent stopped, with the unfinished tasks under their ids', async () => {
    const { store } = shared
    const { projectId, workSessionId, done, at, waits, next, interrupt, resume, get } =
      await interrupted()
    await interrupt()
    const outcome = await resume()
    expect(outcome.outcome).toBe('begun')
    const resumed = resumedIn(outcome)
    expect(Resumed.parse(resumed)).toEqual(resumed)
    const { session: child, resumeContext, remainingTasks, notRestored } = resumed
    expect(child).toMatchObject({
      projectId,
      parentSessionId: workSessionId,
      state: 'running',
      currentPhase: 2,
      currentTaskId: at.id,
    })
    expect(resumeContext).toMatchObject({
      currentPhase: 2,
      currentTask: { taskId: at.id, name: 'Jump', progressPercent: 70 },
      failedApproaches: [{ id: 'approach_f001', failureReason: 'jumps in the air', avoid: true }],
      verifiedApproaches: [],
      nextApproaches: [],
    })
    expect(resumeContext.remainingTasks.map(({ taskId }) => taskId).sort()).toEqual(
      [next.id, waits.id].sort(),
    )
    expect(remainingTasks.map(({ id }) => id).sort()).toEqual([at.id, waits.id, next.id].sort())
    for (const { id } of [at, waits, next])
      expect(await get(id)).toMatchObject({ ['sessionId']: child.id })
    expect(await get(at.id)).toMatchObject({ status: 'in_progress', progressPercent: 70 })
    expect(await get(waits.id)).toMatchObject({ status: 'blocked', blockedBy: at.id })
    expect(await get(done.id)).toMatchObject({ ['sessionId']: workSessionId, status: 'completed' })
    const detail = expect.stringContaining('ann no longer belongs to this project')
    expect(notRestored).toEqual([
      { what: 'agent', detail, notice: expect.objectContaining({ code: 'agentNotInProject' }) },
    ])
    const whole = await store.query(getWorkSession, { viewer: null, projectId, workSessionId })
    expect(whole).toMatchObject({
      state: 'interrupted',
      resumedBy: child.id,
      children: [{ id: child.id }],
    })
    expect((await store.eventsAfter(home, 0, 1000)).slice(-2).map(({ type }) => type)).toEqual([
      'work-session-started',
      'work-session-changed',
    ])
  })

  test('[RS3] resumed ten times at once there is one child; while it runs the same; after it has ended another', async () => {
    const { store } = shared
    const { projectId, workSessionId, interrupt, resume } = await interrupted()
    await interrupt()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => resume()))
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'begun',
      ...Array(9).fill('same'),
    ])
    const [childId, ...others] = new Set(outcomes.map((outcome) => resumedIn(outcome).session.id))
    expect(others).toEqual([])
    const { children } = await store.query(getWorkSession, {
      viewer: null,
      projectId,
      workSessionId,
    })
    expect(children.map(({ id }) => id)).toEqual([childId])
    await interrupt(childId)
    const fork = await resume()
    expect(fork).toMatchObject({
      outcome: 'begun',
      resumed: { session: { parentSessionId: workSessionId } },
    })
    expect(resumedIn(fork).session.id).not.toBe(childId)
    // What the first child left undone is not lost on the second.
    expect(resumedIn(fork).remainingTasks).toHaveLength(3)
  })

  test('[RS3] an old one gives whatever runs of all that came from it; when nothing runs, a fork with all they left and learned', async () => {
    const { store } = shared
    const { projectId, workSessionId, at, interrupt, resume, complete, get } = await interrupted()
    await interrupt()
    const child = resumedIn(await resume()).session.id
    await interrupt(child)
    const grandchild = resumedIn(await resume(child)).session.id
    const again = await resume()
    expect([again.outcome, resumedIn(again).session.id]).toEqual(['same', grandchild])
    expect(resumedIn(again).remainingTasks).toHaveLength(3)
    await store.run(recordApproach, {
      projectId,
      workSessionId: grandchild,
      kind: 'failed',
      category: 'jump',
      description: 'raycast',
      by,
    })
    await complete(at.id)
    await interrupt(grandchild)
    const fork = resumedIn(await resume())
    expect(fork.session).toMatchObject({ parentSessionId: workSessionId, state: 'running' })
    expect(fork.remainingTasks).toHaveLength(2)
    for (const { id } of fork.remainingTasks)
      expect(await get(id)).toMatchObject({ ['sessionId']: fork.session.id })
    const failed = ['velocity.y', 'raycast']
    expect(
      fork.resumeContext.failedApproaches.map(({ description }) => description).sort(),
    ).toEqual(failed.sort())
    const whole = await store.query(getWorkSession, {
      viewer: null,
      projectId,
      workSessionId: fork.session.id,
    })
    expect(whole.approaches.map(({ description }) => description).sort()).toEqual(failed)
    // What the others learned is not the parent's own.
    const parent = await store.query(getWorkSession, { viewer: null, projectId, workSessionId })
    expect(parent.approaches.map(({ description }) => description)).toEqual(['velocity.y'])
  })

  test('[RS3] a running or completed one is refused, and nothing is changed', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const resume = () => store.run(resumeWorkSession, { projectId, workSessionId, by })
    const before = await store.positions([projectStream(projectId)])
    expect(await refused(store, resume)).toEqual({
      code: 'work_session_running',
      fields: { workSessionId },
    })
    expect(await store.positions([projectStream(projectId)])).toEqual(before)
    await store.run(endWorkSession, { projectId, workSessionId })
    expect(await refused(store, resume)).toEqual({
      code: 'work_session_completed',
      fields: { workSessionId },
    })
    const elsewhere = { projectId: 'nobody', workSessionId, by }
    expect(await refused(store, () => store.run(resumeWorkSession, elsewhere))).toMatchObject({
      code: 'not_found',
    })
  })

  test('[RS3] one that cannot be read is set aside after the second time; the others go on', async () => {
    const { store } = shared
    const { projectId, workSessionId, next, interrupt, resume } = await interrupted()
    const { id: healthy } = await store.run(createWorkSession, { projectId })
    await interrupt()
    await interrupt(healthy)
    await store.run(spoilTask, { projectId, taskId: next.id })
    expect(await resume()).toEqual({ outcome: 'failed', setAside: null })
    expect(await resume()).toEqual({
      outcome: 'failed',
      setAside: expect.stringContaining('cannot be read'),
    })
    expect(await refused(store, resume)).toMatchObject({
      code: 'set_aside',
      fields: { workSessionId },
    })
    expect((await eventsOf(store, projectStream(projectId))).at(-1)).toMatchObject({
      type: 'work-session-changed',
      data: {
        workSession: {
          id: workSessionId,
          state: 'interrupted',
          setAside: expect.stringContaining('cannot be read'),
        },
      },
    })
    expect(await resume(healthy)).toMatchObject({ outcome: 'begun' })
  })

  test('[RS2] an agent that took the work up reads the same context again; one whose work was begun gets none', async () => {
    const { store } = shared
    const { projectId, workSessionId, interrupt, agent } = await interrupted()
    const { caller } = await agent('bob')
    expect(await store.query(getResumeContext, caller)).toBeNull()
    await interrupt()
    const other = await agent('carl')
    await store.run(placeWorkSession, {
      projectId,
      parentId: workSessionId,
      agentSessionId: other.caller.agentSessionId,
    })
    expect(await store.query(getResumeContext, other.caller)).toMatchObject({
      failedApproaches: [{ id: 'approach_f001' }],
    })
  })

  test('[RS5] decisions about unfinished tasks are found from the approvals: what it costs does not grow with the tasks', async () => {
    const which = { workSessionId: 's', projectId: 'p', limit: 5 }
    const [outer, ...inner] = await planOf(shared.file, (reader) =>
      reader.all(selectAboutTasks, which),
    )
    expect(outer).toMatch(
      /^SEARCH human_approvals USING INDEX approvals_about_task \(project_id=\?/,
    )
    expect(inner).toContainEqual(
      expect.stringMatching(/^SEARCH tasks .*\(project_id=\? AND id=\?\)$/),
    )
  })

  test('[RS1] the context has what the whole line has completed, with the results, newest first', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId, done, at, next, interrupt, resume, start, change, task } =
      await interrupted()
    const broken = await task({ title: 'Broken' })
    const finish = async (id: string, result: unknown) => {
      clock.advance(1000)
      await start(id)
      await change(id, { status: 'completed', result })
    }
    await finish(broken.id, 'told')
    await store.run(spoilTask, { projectId, taskId: broken.id })
    await interrupt()
    const child = resumedIn(await resume()).session.id
    await finish(at.id, { files: ['jump.ts'] })
    await interrupt(child)
    const grandchild = resumedIn(await resume(child))
    await finish(next.id, 'It sings')
    const now = await store.read(async (reader) => {
      const row = await reader.row('sessions', { id: grandchild.session.id })
      return row && resumeContextOf(reader, row)
    })
    const line = [
      { taskId: at.id, name: 'Jump', result: { files: ['jump.ts'] } },
      { taskId: broken.id, name: 'Broken', result: null },
      { taskId: done.id, name: 'Plan', result: null },
    ]
    expect(grandchild.resumeContext.completedTasks).toMatchObject(line)
    expect(now?.completedTasks).toMatchObject([{ taskId: next.id, result: 'It sings' }, ...line])
    // Asked of the oldest, what came of it belongs to it.
    await interrupt(grandchild.session.id)
    const again = resumedIn(await resume(workSessionId))
    expect(again.resumeContext.completedTasks.map(({ taskId }) => taskId).sort()).toEqual(
      [next.id, ...line.map(({ taskId }) => taskId)].sort(),
    )
  })

  test('[RS5] completed tasks are found newest first without a sort', async () => {
    const plan = await planOf(shared.file, (reader) =>
      reader.all(selectCompleted, { workSessionId: 's', limit: 5 }),
    )
    expect(plan).toEqual([
      expect.stringMatching(/^SEARCH tasks USING INDEX tasks_completed \(session_id=\?\)$/),
    ])
  })

  test('[RS5] unfinished tasks are found without reading those that are done', async () => {
    const plan = await planOf(shared.file, (reader) =>
      reader.all(selectUnfinished, { workSessionId: 's', limit: 5 }),
    )
    expect(plan).toEqual([
      expect.stringMatching(/^SEARCH tasks USING INDEX tasks_unfinished \(session_id=\?\)$/),
    ])
  })
})
