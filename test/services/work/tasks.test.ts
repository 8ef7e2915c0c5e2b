import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { Task } from '../../../src/protocol/work/task.ts'
import { createTask } from '../../../src/services/work/change-task.ts'
import { endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getTask, getWorkSession, listTasks } from '../../../src/services/work/queries.ts'
import { newest } from '../../../src/store/page-cursor.ts'
import { highestIds, tasksPage } from '../../../src/store/work/tasks.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'
import { placeTasks } from './work-rows.ts'

const shared = sharedStore()

describe('tasks', () => {
  test('[TK1] a new task has its id, its words and nothing done yet, and is told in its project', async () => {
    const { store } = shared
    const { projectId, workSessionId, task } = await openProject(store)
    const made = await task({ title: 'Jump', description: 'and land', assignedTo: 'ann' })
    expect(made).toEqual({
      id: 'task_p1_code_001',
      projectId,
      ['sessionId']: workSessionId,
      phase: 1,
      type: 'code',
      title: 'Jump',
      description: 'and land',
      status: 'pending',
      progressPercent: 0,
      assignedTo: 'ann',
      dependsOn: [],
      blockedBy: null,
      startedAt: null,
      completedAt: null,
      result: null,
      createdAt: '2026-03-01T09:00:00.000Z',
      updatedAt: '2026-03-01T09:00:00.000Z',
    })
    expect(Task.parse(made)).toEqual(made)
    expect(await store.query(getTask, { projectId, taskId: made.id })).toEqual(made)
    expect((await eventsOf(store, projectStream(projectId))).at(-1)).toEqual({
      type: 'task-created',
      data: { task: made, by },
    })
  })

  test('[ID1] over a thousand made at once get numbers of their own, without a gap, also beside a type that looks alike', async () => {
    const { task } = await openProject(shared.store)
    const other = await openProject(shared.store)
    const many = Array.from({ length: 1005 }, () => task())
    const alike = Array.from({ length: 12 }, () => task({ type: 'code 5' }))
    const elsewhere = Array.from({ length: 5 }, () => other.task())
    const ids = (await Promise.all(many)).map(({ id }) => id)
    const expected = Array.from(
      { length: 1005 },
      (_, n) => `task_p1_code_${String(n + 1).padStart(3, '0')}`,
    )
    expect(new Set(ids)).toEqual(new Set(expected))
    expect(new Set((await Promise.all(alike)).map(({ id }) => id)).size).toBe(12)
    expect((await task({ type: 'code_5' })).id).toBe('task_p1_code_5_013')
    expect((await task()).id).toBe('task_p1_code_1006')
    expect((await Promise.all(elsewhere)).map(({ id }) => id)).toEqual(expected.slice(0, 5))
  })

  test('[ID1] the next number is right with five digits too, where those of a longer type lie in between', async () => {
    const { store } = shared
    const { projectId, workSessionId, task } = await openProject(store)
    const ids = ['999', '9999', '10000', '5_001', '5_1000', '9_999'].map(
      (ending) => `task_p1_code_${ending}`,
    )
    await store.run(placeTasks, { projectId, workSessionId, ids })
    expect((await task()).id).toBe('task_p1_code_10001')
    expect((await task({ type: 'code_9' })).id).toBe('task_p1_code_9_1000')
  })

  test('[TK2] a task is begun, makes progress and is completed or fails, with its times', async () => {
    const { store, clock } = shared
    const { task, change, projectId } = await openProject(store)
    const [one, two] = [await task(), await task()]
    clock.advance(1000)
    const begun = await change(one.id, { status: 'in_progress', progressPercent: 40 })
    expect(begun).toMatchObject({
      status: 'in_progress',
      progressPercent: 40,
      startedAt: new Date(clock.now()).toISOString(),
    })
    clock.advance(1000)
    const done = await change(one.id, { status: 'completed', result: { files: 3 } })
    expect(done).toEqual({
      ...begun,
      status: 'completed',
      progressPercent: 100,
      completedAt: new Date(clock.now()).toISOString(),
      updatedAt: new Date(clock.now()).toISOString(),
      result: { files: 3 },
    })
    await change(two.id, { status: 'in_progress' })
    expect(await change(two.id, { status: 'failed', result: 'no ground' })).toMatchObject({
      status: 'failed',
      completedAt: null,
    })
    const before = await store.positions([projectStream(projectId)])
    expect(await change(one.id, { status: 'completed' })).toEqual(done)
    expect(await store.positions([projectStream(projectId)])).toEqual(before)
  })

  test.each([101, -1, 0.5])(
    '[TK2] progress of %s is refused and changes nothing',
    async (progressPercent) => {
      const { task, start, change, get } = await openProject(shared.store)
      const { id } = await task()
      const begun = await start(id)
      expect(
        await refused(shared.store, () => change(id, { progressPercent, title: 'other' })),
      ).toEqual({
        code: 'invalid_progress',
        fields: { min: 0, max: 100 },
      })
      expect(await get(id)).toEqual(begun)
    },
  )

  test('[TK2] a step that the diagram does not have is refused, with the state it is in', async () => {
    const { task, change, complete } = await openProject(shared.store)
    const { id } = await task()
    const attempt = (status: 'completed' | 'pending' | 'in_progress') => () =>
      change(id, { status })
    expect(await refused(shared.store, attempt('completed'))).toEqual({
      code: 'wrong_state',
      fields: { state: 'pending', wanted: 'completed' },
    })
    await complete(id)
    for (const status of ['pending', 'in_progress'] as const)
      expect(await refused(shared.store, attempt(status))).toMatchObject({
        code: 'wrong_state',
        fields: { state: 'completed' },
      })
  })

  test('[TK1] words, agent and result change; null takes away; what is the same leaves no event', async () => {
    const { store } = shared
    const { projectId, task, change } = await openProject(store)
    const made = await task({ description: 'd', assignedTo: 'ann' })
    const before = await store.positions([projectStream(projectId)])
    expect(await change(made.id, { title: 't', description: 'd', assignedTo: 'ann' })).toEqual(made)
    expect(await change(made.id, {})).toEqual(made)
    expect(await store.positions([projectStream(projectId)])).toEqual(before)
    const changed = await change(made.id, {
      title: 'u',
      description: null,
      assignedTo: null,
      result: [1],
    })
    expect(changed).toMatchObject({
      title: 'u',
      description: null,
      assignedTo: null,
      result: [1],
      status: 'pending',
    })
    expect((await change(made.id, { result: null })).result).toBeNull()
  })

  test('[HT2] a project, work session or task that is not there, or is another project’s, is not found', async () => {
    const { store } = shared
    const mine = await openProject(store)
    const { workSessionId, task } = await openProject(store)
    const { id: taskId } = await task({ phase: 9 })
    const { projectId } = mine
    const draft = { phase: 1, type: 'code', title: 't', by }
    for (const attempt of [
      () => store.run(createTask, { ...draft, projectId, workSessionId }),
      () => store.run(createTask, { ...draft, projectId: 'nobody', workSessionId }),
      () => mine.change(taskId, { status: 'in_progress' }),
      () => mine.get(taskId),
      () => store.query(listTasks, { projectId: 'nobody', limit: 5 }),
    ]) {
      expect(await refused(store, attempt)).toMatchObject({ code: 'not_found' })
    }
  })

  test('[WK1] a completed work session takes no more tasks, an interrupted one does', async () => {
    const { store } = shared
    const { projectId, workSessionId, task } = await openProject(store)
    const other = await openProject(store)
    await store.run(endWorkSession, { projectId, workSessionId })
    expect(await refused(store, () => task())).toMatchObject({ code: 'work_session_completed' })
    await store.run(endWorkSession, {
      projectId: other.projectId,
      workSessionId: other.workSessionId,
      reason: 'lunch',
    })
    expect(await other.task()).toMatchObject({ status: 'pending' })
  })

  test('[WK1] a work session is at the task begun last, and goes back to another when that is finished', async () => {
    const { store } = shared
    const { projectId, workSessionId, task, start, change } = await openProject(store)
    const at = async () => {
      const { currentTaskId, currentPhase } = await store.query(getWorkSession, {
        viewer: null,
        projectId,
        workSessionId,
      })
      return [currentTaskId, currentPhase]
    }
    const [one, two] = [await task(), await task({ phase: 2 })]
    expect(await at()).toEqual([null, null])
    await start(one.id)
    await start(two.id)
    expect(await at()).toEqual([two.id, 2])
    await change(two.id, { status: 'completed' })
    expect(await at()).toEqual([one.id, 1])
    await change(one.id, { status: 'failed' })
    expect(await at()).toEqual([null, 1])
    const received = (await eventsOf(store, projectStream(projectId))).filter(
      ({ type }) => type === 'work-session-changed',
    )
    expect(received).toHaveLength(4)
  })
})

describe('pages of tasks', () => {
  test('[HT1] newest first, each once, of one status or work session when asked', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId, task, start } = await openProject(store)
    for (let n = 0; n < 9; n++) {
      if (n % 2 === 0) clock.advance(1)
      const { id } = await task({ title: `t${n}` })
      if (n % 3 === 0) await start(id)
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listTasks, { projectId, limit: 4, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ title }) => title))
      cursor = page.nextCursor ?? undefined
      await task({ title: 'newer than the page' })
    } while (cursor)
    expect(seen).toEqual(['t8', 't7', 't6', 't5', 't4', 't3', 't2', 't1', 't0'])
    const begun = await store.query(listTasks, { projectId, limit: 50, status: 'in_progress' })
    expect(begun.items.map(({ title }) => title)).toEqual(['t6', 't3', 't0'])
    const filter = { projectId, workSessionId, limit: 50 } as const
    expect((await store.query(listTasks, filter)).items).toHaveLength(12)
    expect(
      (await store.query(listTasks, { ...filter, workSessionId: 'sess_other' })).items,
    ).toEqual([])
  })

  test('[HT1] a page is read through an index alone, so it costs the same however many tasks there are', async () => {
    const page = { ...newest, limit: 51 }
    const plans = await Promise.all(
      [{}, { status: 'blocked' as const }, { workSessionId: 's' }].map((filter) =>
        planOf(shared.file, (reader) => tasksPage(reader, { projectId: 'p', ...filter }, page)),
      ),
    )
    expect(plans).toEqual([
      [
        expect.stringMatching(
          /^SEARCH tasks USING INDEX tasks_newest \(project_id=\? AND \(created_at,id\)<\(\?,\?\)\)$/,
        ),
      ],
      [
        expect.stringMatching(
          /^SEARCH tasks USING INDEX tasks_by_status \(project_id=\? AND status=\? AND/,
        ),
      ],
      [expect.stringMatching(/^SEARCH tasks USING INDEX tasks_of_session \(session_id=\? AND/)],
    ])
    expect(await planOf(shared.file, (reader) => highestIds(reader, 'p', 'task_p1_code_'))).toEqual(
      [
        expect.stringMatching(
          /^SEARCH tasks USING .*INDEX sqlite_autoindex_tasks_1 \(project_id=\? AND id>\? AND id<\?\)$/,
        ),
      ],
    )
  })
})
