import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import { listTasks } from '../../../src/services/work/queries.ts'
import { hasDependents, selectBlockedBehind } from '../../../src/store/work/task-dependencies.ts'
import { eventsOf, refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'

const shared = sharedStore()

describe('tasks that wait', () => {
  test('[TK2] a task is blocked while one it depends on is unfinished, and lifted by itself when the last one completes', async () => {
    const { store } = shared
    const { projectId, task, start, change, complete, get } = await openProject(store)
    const [a, b] = [await task(), await task()]
    const waiting = await task({ dependsOn: [a.id, b.id, a.id] })
    expect(waiting).toMatchObject({ status: 'blocked', blockedBy: a.id, dependsOn: [a.id, b.id] })
    expect(await refused(store, () => start(waiting.id))).toEqual({
      code: 'task_blocked',
      fields: { waitsFor: [a.id, b.id] },
    })
    await complete(a.id)
    expect(await get(waiting.id)).toMatchObject({ status: 'blocked', blockedBy: b.id })
    await start(b.id)
    const before = (await store.positions([projectStream(projectId)]))[0]?.head ?? 0
    await change(b.id, { status: 'completed' })
    expect(await get(waiting.id)).toMatchObject({ status: 'pending', blockedBy: null })
    // A reader of the project's events learns of it without asking.
    const received = (await eventsOf(store, projectStream(projectId)))
      .slice(before)
      .filter(({ type }) => type === 'task-changed')
    expect(received.map(({ data }) => (data as { task: Task }).task)).toMatchObject([
      { id: b.id, status: 'completed' },
      { id: waiting.id, status: 'pending' },
    ])
    expect(await start(waiting.id)).toMatchObject({ status: 'in_progress' })
  })

  test('[TK2] one that depends on what is completed is not blocked; one that depends on what failed is', async () => {
    const { task, start, change, complete } = await openProject(shared.store)
    const [a, b] = [await task(), await task()]
    await complete(a.id)
    await start(b.id)
    await change(b.id, { status: 'failed' })
    expect(await task({ dependsOn: [a.id] })).toMatchObject({ status: 'pending', blockedBy: null })
    expect(await task({ dependsOn: [a.id, b.id] })).toMatchObject({
      status: 'blocked',
      blockedBy: b.id,
    })
  })

  test('[TK2] dependencies can be changed: more of them block, none of them free; one that runs cannot be made to wait', async () => {
    const { task, start, change } = await openProject(shared.store)
    const [a, b] = [await task(), await task()]
    expect(await change(b.id, { dependsOn: [a.id] })).toMatchObject({
      status: 'blocked',
      blockedBy: a.id,
    })
    expect(await change(b.id, { dependsOn: [] })).toMatchObject({
      status: 'pending',
      blockedBy: null,
    })
    await start(b.id)
    expect(await refused(shared.store, () => change(b.id, { dependsOn: [a.id] }))).toMatchObject({
      code: 'task_blocked',
    })
    expect(await task({ dependsOn: [b.id] })).toMatchObject({ blockedBy: b.id })
  })

  test('[TK2] a cycle is refused with the cycle named, and changes nothing', async () => {
    const { store } = shared
    const { projectId, task, change, get } = await openProject(store)
    const a = await task()
    const b = await task({ dependsOn: [a.id] })
    const c = await task({ dependsOn: [b.id] })
    const before = await store.positions([projectStream(projectId)])
    expect(await refused(store, () => change(a.id, { dependsOn: [c.id] }))).toEqual({
      code: 'dependency_cycle',
      fields: { cycle: [a.id, c.id, b.id] },
    })
    expect(await refused(store, () => change(a.id, { dependsOn: [a.id] }))).toMatchObject({
      fields: { cycle: [a.id] },
    })
    expect(await get(a.id)).toEqual(a)
    expect(await store.positions([projectStream(projectId)])).toEqual(before)
    // Nor is anything left behind that would hold it later.
    expect(await change(a.id, { dependsOn: [] })).toEqual(a)
    expect(await store.read((reader) => hasDependents(reader, { projectId, taskId: c.id }))).toBe(
      false,
    )
  })

  test('[TK2] a plan can be written in any order: what is not there yet is waited for, and a circle is found all the same', async () => {
    const { store } = shared
    const { task, complete, get } = await openProject(store)
    const first = await task({ dependsOn: ['task_p1_code_002'] })
    expect(first).toMatchObject({
      id: 'task_p1_code_001',
      status: 'blocked',
      blockedBy: 'task_p1_code_002',
    })
    expect(await refused(store, () => task({ dependsOn: [first.id] }))).toEqual({
      code: 'dependency_cycle',
      fields: { cycle: ['task_p1_code_002', first.id] },
    })
    expect(await refused(store, () => task({ dependsOn: ['task_p1_code_002'] }))).toMatchObject({
      code: 'dependency_cycle',
    })
    const second = await task()
    await complete(second.id)
    expect(await get(first.id)).toMatchObject({ status: 'pending' })
  })

  test('[TK2] what can never be a task is not waited for', async () => {
    const { store } = shared
    const { task } = await openProject(store)
    for (const id of ['x', 'task_1', 'proj_20260301_abcdef'])
      expect(await refused(store, () => task({ dependsOn: [id] }))).toEqual({
        code: 'not_found',
        fields: { taskId: id },
      })
  })

  test('[TK2] the last two dependencies completed in the same instant lift a task, once', async () => {
    const { store } = shared
    for (let round = 0; round < 20; round++) {
      const { projectId, task, start, change, get } = await openProject(store)
      const [a, b] = [await task(), await task()]
      const { id } = await task({ dependsOn: [a.id, b.id] })
      await Promise.all([start(a.id), start(b.id)])
      await Promise.all([
        change(a.id, { status: 'completed' }),
        change(b.id, { status: 'completed' }),
      ])
      expect(await get(id)).toMatchObject({ status: 'pending', blockedBy: null })
      const lifted = (await eventsOf(store, projectStream(projectId))).filter(({ type, data }) => {
        const { task: changed } = data as { task?: Task }
        return type === 'task-changed' && changed?.id === id && changed.status === 'pending'
      })
      expect(lifted).toHaveLength(1)
    }
  })

  test('[TK2] whatever is made, changed and finished, a waiting task is blocked exactly while a dependency is unfinished', async () => {
    const { store } = shared
    const index = fc.nat({ max: 7 })
    const step = fc.oneof(
      fc.record({ do: fc.constant('make' as const), on: fc.array(index, { maxLength: 3 }) }),
      fc.record({
        do: fc.constant('depend' as const),
        task: index,
        on: fc.array(index, { maxLength: 3 }),
      }),
      fc.record({
        do: fc.constantFrom('completed' as const, 'completed' as const, 'failed' as const),
        task: index,
      }),
    )
    const tried = (attempt: Promise<unknown>) => attempt.catch(() => undefined)
    const idOf = (n: number): string => `task_p1_code_${String(n + 1).padStart(3, '0')}`
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const { projectId, task, change } = await openProject(store)
        for (const each of steps) {
          const ids = 'on' in each ? each.on.map(idOf) : []
          if (each.do === 'make') await tried(task({ dependsOn: ids }))
          else if (each.do === 'depend') await tried(change(idOf(each.task), { dependsOn: ids }))
          else {
            await tried(change(idOf(each.task), { status: 'in_progress' }))
            await tried(change(idOf(each.task), { status: each.do }))
          }
        }
        const { items } = await store.query(listTasks, { projectId, limit: 200 })
        const completed = new Set(
          items.filter(({ status }) => status === 'completed').map(({ id }) => id),
        )
        for (const { status, dependsOn, blockedBy } of items.filter((each) =>
          /pending|blocked/.test(each.status),
        )) {
          const [first] = dependsOn.filter((id) => !completed.has(id))
          expect([status, blockedBy]).toEqual(
            first === undefined ? ['pending', null] : ['blocked', first],
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  test('[TK2] who waits for a task is found through an index, however many tasks there are', async () => {
    const place = { projectId: 'p', taskId: 't' }
    const plan = await planOf(shared.file, async (reader) => {
      await reader.all(selectBlockedBehind, place)
      await hasDependents(reader, place)
    })
    expect(plan.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/)
    expect(plan.join('\n')).toContain('tasks_that_wait')
  })
})
