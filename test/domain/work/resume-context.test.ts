import { describe, expect, test } from 'vitest'
import { cutToTokens, estimateTokens } from '../../../src/domain/conversations/messages.ts'
import {
  type Approach,
  type ApproachKind,
  contentOf,
} from '../../../src/domain/work/approach-lifecycle.ts'
import {
  maxWarnings,
  type Remembered,
  type RememberedTask,
  resumeContext,
  wantsMore,
} from '../../../src/domain/work/resume-context.ts'
import { fc, property } from '../../support/property.ts'

const budget = 8000

function approach(kind: ApproachKind, n: number, words: Partial<Approach> = {}): Approach {
  const content = contentOf(kind, { category: 'jump', description: `Way ${n}`, ...words })
  return {
    id: `approach_${kind[0]}${String(n).padStart(3, '0')}`,
    kind,
    date: '2026-01-15',
    ...content,
    history: [],
  }
}

const many = (kind: ApproachKind, count: number, words: Partial<Approach> = {}): Approach[] =>
  Array.from({ length: count }, (_, n) => approach(kind, count - n, words))

const task = (n: number): RememberedTask => ({
  taskId: `task_p1_code_${String(n).padStart(3, '0')}`,
  name: `Step ${n}`,
  status: 'pending',
  phase: 1,
  progressPercent: 0,
  blockedBy: null,
})

const whole = <Item>(items: readonly Item[]) => ({ items, more: false })

const nothing: Remembered = {
  previousState: null,
  currentPhase: null,
  currentTask: null,
  warnings: [],
  olderWarnings: [],
  decisions: [],
  failed: whole([]),
  verified: whole([]),
  next: whole([]),
  remaining: whole([]),
  completed: whole([]),
}

const sizeOf = (all: Remembered, tokens = budget): number =>
  estimateTokens(JSON.stringify(resumeContext(all, tokens)))

describe('the resume context', () => {
  test('[RS1] what there is is told whole while it fits', () => {
    const all: Remembered = {
      ...nothing,
      previousState: 'Jumping works',
      currentPhase: 2,
      currentTask: { ...task(3), status: 'in_progress', progressPercent: 70 },
      warnings: many('failed', 2, { learnings: ['ground first'] }),
      verified: whole(many('verified', 1)),
      next: whole(many('untried', 1, { nextToTry: true })),
      remaining: whole([task(5), task(4)]),
    }
    const context = resumeContext(all, budget)
    expect(context).toMatchObject({
      previousState: 'Jumping works',
      currentPhase: 2,
      currentTask: { taskId: 'task_p1_code_003', progressPercent: 70 },
      failedApproaches: [
        { id: 'approach_f002', learnings: ['ground first'], avoid: true },
        { id: 'approach_f001' },
      ],
      verifiedApproaches: [{ id: 'approach_v001', reusable: true }],
      nextApproaches: [{ id: 'approach_u001', nextToTry: true }],
      remainingTasks: [task(5), task(4)],
    })
    expect(Object.values(context.leftOut)).toEqual([false, false, false, false, false])
  })

  test('[RS1] a result of any form is told whole; a long one is cut and takes no room', () => {
    const done = (n: number, result: unknown) => ({
      taskId: `task_p1_code_00${n}`,
      name: `Step ${n}`,
      completedAt: '2026-01-15T12:00:00.000Z',
      result,
    })
    const results = [{ files: ['a.ts'] }, 'It jumps', null, 0, false]
    const completed = whole([
      done(9, { log: 'x'.repeat(20_000) }),
      ...results.map((r, n) => done(n, r)),
    ])
    const given = resumeContext({ ...nothing, completed }, budget)
    const [long, ...others] = given.completedTasks
    expect(long).toMatchObject({
      taskId: 'task_p1_code_009',
      result: expect.stringMatching(/^{"log":"x+…$/),
    })
    expect(others.map(({ result }) => result)).toEqual(results)
    expect(given.leftOut.completedTasks).toBe(false)
    expect(sizeOf({ ...nothing, completed })).toBeLessThan(budget / 4)
  })

  test('[RS4] of a thousand of each the newest are told, and it says that there are more', () => {
    const words = { details: { method: 'x'.repeat(400) }, learnings: ['y'.repeat(100)] }
    const all: Remembered = {
      ...nothing,
      previousState: 'z'.repeat(100_000),
      failed: whole(many('failed', 1000, { ...words, avoid: false })),
      verified: whole(many('verified', 1000, words)),
      next: whole(many('untried', 1000, words)),
      remaining: whole(Array.from({ length: 1000 }, (_, n) => task(1000 - n))),
      completed: whole(
        Array.from({ length: 1000 }, (_, n) => ({
          taskId: `task_p1_test_${1000 - n}`,
          name: 'Done',
          completedAt: null,
          result: words,
        })),
      ),
    }
    expect(sizeOf(all)).toBeLessThanOrEqual(budget)
    const context = resumeContext(all, budget)
    expect(Object.values(context.leftOut)).toEqual([true, true, true, true, true])
    expect(context.verifiedApproaches[0]?.id).toBe('approach_v1000')
    expect(context.remainingTasks[0]?.taskId).toBe('task_p1_code_1000')
    expect(context.completedTasks[0]?.taskId).toBe('task_p1_test_1000')
    for (const list of [
      context.failedApproaches,
      context.verifiedApproaches,
      context.nextApproaches,
      context.remainingTasks,
      context.completedTasks,
    ])
      expect(list.length).toBeGreaterThan(5)
  })

  test('[RS4] what must be avoided is never left out, but told shorter within the budget', () => {
    const warnings = many('failed', 400, {
      description: 'd'.repeat(500),
      failureReason: 'r'.repeat(500),
      details: 'e'.repeat(2000),
    })
    const all = {
      ...nothing,
      warnings,
      verified: whole(many('verified', 1000, { details: 'v'.repeat(1000) })),
    }
    const context = resumeContext(all, budget)
    expect(context.failedApproaches.map(({ id }) => id)).toEqual(warnings.map(({ id }) => id))
    expect(context.failedApproaches[0]).toMatchObject({
      failureReason: expect.stringMatching(/^r+…$/),
    })
    expect(sizeOf(all)).toBeLessThanOrEqual(budget)
    const ids = Array.from({ length: 5000 }, (_, n) => `approach_f${n}`)
    const tooMany = resumeContext(
      { ...nothing, warnings: many('failed', 10), olderWarnings: ids },
      budget,
    )
    expect(tooMany.failedApproaches).toHaveLength(5010)
    expect(tooMany.failedApproaches.at(-1)).toEqual({ id: 'approach_f4999', avoid: true })
  })

  test('[RS4] a very long approach is told without details instead of taking all room', () => {
    const long = approach('verified', 2, { details: 'x'.repeat(20_000) })
    const [first, second] = resumeContext(
      { ...nothing, verified: whole([long, approach('verified', 1)]) },
      budget,
    ).verifiedApproaches
    expect(first).toEqual({ id: 'approach_v002', category: 'jump', description: 'Way 2' })
    expect(second).toMatchObject({ id: 'approach_v001', kind: 'verified' })
  })

  test('[RS5] a reader who read too little of a list that would fit is told so', () => {
    const more = (count: number, words = {}) => ({
      items: many('verified', count, words),
      more: true,
    })
    const wants = (verified: ReturnType<typeof more>) => {
      const all = { ...nothing, verified }
      return wantsMore(all, resumeContext(all, budget))
    }
    expect(wants(more(5))).toBe(true)
    expect(wants(more(50, { details: 'x'.repeat(2000) }))).toBe(false)
    expect(
      resumeContext({ ...nothing, verified: more(5) }, budget).leftOut.verifiedApproaches,
    ).toBe(true)
  })

  test('[RS5] no more warnings could be told in words than are read whole', () => {
    const warnings = many('failed', 1000, { category: 'c', description: '' })
    const received = resumeContext({ ...nothing, warnings }, budget).failedApproaches.filter(
      ({ category }) => category !== undefined,
    )
    expect(received.length).toBeLessThanOrEqual(maxWarnings(budget))
  })

  const text = fc.string({ unit: 'grapheme', maxLength: 400 })
  const some = (kind: ApproachKind) =>
    fc.array(fc.tuple(text, text, fc.boolean()), { maxLength: 60 }).map((list) =>
      list.map(([description, details, avoid], n) =>
        approach(kind, list.length - n, {
          description,
          details,
          avoid: kind === 'failed' && avoid,
        }),
      ),
    )

  property.prop([
    some('failed'),
    some('verified'),
    some('untried'),
    text,
    fc.integer({ min: 3000, max: 20_000 }),
  ])(
    '[RS4] whatever there is: within the budget, nothing to avoid missing, each list a beginning of what was given',
    (failed, verified, next, previousState, tokens) => {
      const warnings = failed.filter(({ avoid }) => avoid)
      const others = whole(failed.filter(({ avoid }) => !avoid))
      const all = {
        ...nothing,
        previousState,
        warnings,
        failed: others,
        verified: whole(verified),
        next: whole(next),
      }
      const context = resumeContext(all, tokens)
      expect(wantsMore(all, context)).toBe(false)
      expect(estimateTokens(JSON.stringify(context))).toBeLessThanOrEqual(tokens)
      const handedIds = context.failedApproaches.map(({ id }) => id)
      for (const { id, avoid } of failed) if (avoid) expect(handedIds).toContain(id)
      expect(context.verifiedApproaches.map(({ id }) => id)).toEqual(
        verified.slice(0, context.verifiedApproaches.length).map(({ id }) => id),
      )
    },
  )
})

describe('the estimate of tokens', () => {
  test('[RS4] four Latin letters are one, every other character is one of its own', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('abcdefgh')).toBe(2)
    expect(estimateTokens('作業を再開')).toBe(5)
  })

  property.prop([fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 2, max: 60 })])(
    '[RS4] what is cut costs no more than asked for, begins as it did, and says that it was cut',
    (whole, tokens) => {
      const cut = cutToTokens(whole, tokens)
      expect(estimateTokens(cut)).toBeLessThanOrEqual(tokens)
      expect(cut.isWellFormed()).toBe(true)
      if (cut !== whole) {
        expect(cut.endsWith('…')).toBe(true)
        expect(whole.startsWith(cut.slice(0, -1))).toBe(true)
      }
    },
  )
})
