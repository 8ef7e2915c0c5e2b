import { describe, expect, test } from 'vitest'
import {
  decideTask,
  isUnfinished,
  type Task,
  type TaskChange,
  type TaskStatus,
  waitingStatus,
} from '../../../src/domain/work/task-lifecycle.ts'
import { fc, property } from '../../support/property.ts'

const then = '2026-03-01T09:00:00.000Z'
const now = '2026-03-01T10:00:00.000Z'
const parts = {
  id: 't',
  dependsOn: ['d'],
  assignedTo: 'ada',
  progressPercent: 40,
  result: null,
} as const

const sample: Record<TaskStatus, Task> = {
  pending: { ...parts, status: 'pending', startedAt: null, completedAt: null },
  blocked: { ...parts, status: 'blocked', startedAt: null, completedAt: null },
  in_progress: { ...parts, status: 'in_progress', startedAt: then, completedAt: null },
  completed: {
    ...parts,
    status: 'completed',
    progressPercent: 100,
    startedAt: then,
    completedAt: then,
  },
  failed: { ...parts, status: 'failed', startedAt: then, completedAt: null },
}
const statuses = Object.keys(sample) as TaskStatus[]
const unfinishedOf = (status: TaskStatus): string[] => (status === 'blocked' ? ['d'] : [])
const change = (from: TaskStatus, wanted: TaskChange, unfinished = unfinishedOf(from)) =>
  decideTask(now, sample[from], wanted, unfinished)

const allowed: [TaskStatus, TaskStatus][] = [
  ['pending', 'in_progress'],
  ['in_progress', 'completed'],
  ['in_progress', 'failed'],
]
const isAllowed = (from: TaskStatus, to: TaskStatus): boolean =>
  allowed.some(([a, b]) => a === from && b === to)
const others = statuses.flatMap((from) =>
  statuses.filter((to) => to !== from && !isAllowed(from, to)).map((to) => [from, to] as const),
)

describe('the life of a task', () => {
  test.each(allowed)('[TK2] %s → %s', (from, to) => {
    expect(change(from, { status: to })).toMatchObject({ outcome: 'changed', task: { status: to } })
  })

  test.each(others.filter(([from]) => from !== 'blocked'))(
    '[TK2] %s → %s is refused',
    (from, to) => {
      expect(change(from, { status: to })).toEqual({
        outcome: 'refused',
        refusal: { code: 'wrong_state', status: from, wanted: to },
      })
    },
  )

  test.each(others.filter(([from]) => from === 'blocked'))(
    '[TK2] %s → %s is refused, and what it waits for is named',
    (from, to) => {
      expect(change(from, { status: to })).toEqual({
        outcome: 'refused',
        refusal: { code: 'task_blocked', waitsFor: ['d'] },
      })
    },
  )

  test.each(statuses)('[TK2] %s again changes nothing', (status) => {
    expect(change(status, { status })).toEqual({ outcome: 'unchanged' })
    expect(change(status, {})).toEqual({ outcome: 'unchanged' })
  })

  test('[TK1] starting and completing keep their times, and completed is 100 percent', () => {
    expect(change('pending', { status: 'in_progress' })).toMatchObject({
      task: { startedAt: now, completedAt: null },
    })
    expect(
      change('in_progress', { status: 'completed', progressPercent: 80, result: { ok: true } }),
    ).toEqual({
      outcome: 'changed',
      task: { ...sample.completed, completedAt: now, result: { ok: true } },
    })
    expect(change('in_progress', { status: 'failed' })).toMatchObject({
      task: { progressPercent: 40, completedAt: null },
    })
  })

  test('[TK2] a new task is blocked while a dependency is unfinished', () => {
    expect(waitingStatus([])).toBe('pending')
    expect(waitingStatus(['d'])).toBe('blocked')
  })

  test('[TK2] blocked is lifted with the last dependency, and comes back with a new one', () => {
    expect(change('blocked', {}, [])).toMatchObject({
      outcome: 'changed',
      task: { status: 'pending' },
    })
    expect(change('blocked', { status: 'in_progress' }, [])).toMatchObject({
      task: { status: 'in_progress' },
    })
    expect(change('pending', { dependsOn: ['d', 'e'] }, ['e'])).toMatchObject({
      task: { status: 'blocked', dependsOn: ['d', 'e'] },
    })
  })

  test('[TK2] a task that runs cannot be made to wait', () => {
    expect(change('in_progress', { dependsOn: ['e'] }, ['e'])).toEqual({
      outcome: 'refused',
      refusal: { code: 'task_blocked', waitsFor: ['e'] },
    })
    expect(change('in_progress', { progressPercent: 41 }, ['d'])).toMatchObject({
      outcome: 'changed',
    })
  })

  test.each([0, 1, 99, 100])('[TK2] %s percent is progress', (progressPercent) => {
    expect(change('in_progress', { progressPercent })).toMatchObject({
      outcome: 'changed',
      task: { progressPercent },
    })
  })

  test.each([-1, 101, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    '[TK2] %s percent is refused',
    (progressPercent) => {
      for (const status of statuses)
        expect(change(status, { progressPercent })).toEqual({
          outcome: 'refused',
          refusal: { code: 'invalid_progress' },
        })
    },
  )

  test('[TK2] a finished task makes no progress, but takes a result', () => {
    for (const status of ['completed', 'failed'] as const) {
      expect(change(status, { progressPercent: 50 })).toMatchObject({
        refusal: { code: 'wrong_state' },
      })
      expect(change(status, { status, result: 'why' })).toMatchObject({
        outcome: 'changed',
        task: { status, result: 'why' },
      })
    }
  })

  test('[TK3] assigning is a change in any state', () => {
    for (const status of statuses) {
      expect(change(status, { assignedTo: 'bob' })).toMatchObject({
        task: { status, assignedTo: 'bob' },
      })
      expect(change(status, { assignedTo: null })).toMatchObject({
        task: { status, assignedTo: null },
      })
      expect(change(status, { assignedTo: 'ada' })).toEqual({ outcome: 'unchanged' })
    }
  })

  test('[RS1] unfinished is neither completed nor failed', () => {
    expect(statuses.filter(isUnfinished)).toEqual(['pending', 'blocked', 'in_progress'])
  })

  const changes: fc.Arbitrary<TaskChange> = fc.record(
    { status: fc.constantFrom(...statuses), progressPercent: fc.integer({ min: -5, max: 105 }) },
    { requiredKeys: [] },
  )

  property.prop([fc.array(fc.tuple(changes, fc.boolean()), { maxLength: 20 })])(
    '[TK2] whatever is asked, a task walks the diagram, within 0 to 100, with the times of its state',
    (asked) => {
      let task = sample.pending
      for (const [wanted, waits] of asked) {
        const decision = decideTask(now, task, wanted, waits ? ['d'] : [])
        if (decision.outcome !== 'changed') continue
        const [from, to] = [task.status, decision.task.status]
        const bothWait = [from, to].every((status) => status === 'pending' || status === 'blocked')
        const lifted = from === 'blocked' && to === 'in_progress' && !waits
        expect(from === to || bothWait || lifted || isAllowed(from, to), `${from} → ${to}`).toBe(
          true,
        )
        task = decision.task
        expect(task.progressPercent >= 0 && task.progressPercent <= 100).toBe(true)
        expect(task.startedAt !== null).toBe(
          to === 'in_progress' || to === 'completed' || to === 'failed',
        )
        expect(task.completedAt !== null).toBe(to === 'completed')
      }
    },
  )
})
