import { describe, expect, test } from 'vitest'
import {
  type Approach,
  approachId,
  change,
  contentOf,
  parseApproachId,
} from '../../../src/domain/work/approach-lifecycle.ts'

const at = '2026-01-15T16:45:00.000Z'
const by = 'ann'

const untried: Approach = {
  id: 'approach_u001',
  kind: 'untried',
  date: '2026-01-10',
  ...contentOf('untried', {
    category: 'jump',
    description: 'Find the ground with a ray',
    priority: 'high',
    nextToTry: true,
  }),
  history: [],
}

describe('the life of an approach', () => {
  test('[AR1] an untried approach becomes verified or failed, keeps its id and history', () => {
    const decision = change(
      untried,
      { kind: 'failed', failureReason: 'The ray hits the player', error: 'always grounded' },
      { at, by },
    )
    expect(decision).toEqual({
      outcome: 'changed',
      approach: {
        ...untried,
        kind: 'failed',
        date: '2026-01-15',
        failureReason: 'The ray hits the player',
        error: 'always grounded',
        avoid: true,
        priority: null,
        nextToTry: false,
        history: [
          {
            at,
            by,
            before: {
              kind: 'untried',
              date: '2026-01-10',
              failureReason: null,
              error: null,
              avoid: false,
              priority: 'high',
              nextToTry: true,
            },
          },
        ],
      },
    })
  })

  test.each(['verified', 'failed'] as const)(
    '[AR1] what is %s stays that; what comes to light later is another one',
    (kind) => {
      for (const wanted of ['verified', 'failed', 'untried'] as const) {
        const decision = change({ ...untried, kind }, { kind: wanted }, { at, by })
        if (wanted === kind) expect(decision).toEqual({ outcome: 'unchanged' })
        else
          expect(decision).toEqual({ outcome: 'refused', refusal: { code: 'wrong_state', kind } })
      }
    },
  )

  test('[AR1] other words are a change that is kept too; the same words are none', () => {
    const changed = change(untried, { description: 'Two rays' }, { at, by })
    expect(changed).toMatchObject({
      outcome: 'changed',
      approach: {
        description: 'Two rays',
        history: [{ at, by, before: { description: 'Find the ground with a ray' } }],
      },
    })
    expect(
      change(untried, { description: untried.description, learnings: [] }, { at, by }),
    ).toEqual({ outcome: 'unchanged' })
  })

  test('[AR1] the history is bounded; that it was tried is never dropped from it', () => {
    let approach = untried
    const next = (asked: Parameters<typeof change>[1]): void => {
      const decision = change(approach, asked, { at, by })
      if (decision.outcome === 'changed') approach = decision.approach
    }
    for (let n = 0; n < 60; n++) next({ note: `before ${n}` })
    next({ kind: 'verified' })
    for (let n = 0; n < 300; n++) next({ note: `after ${n}` })
    expect(approach.history).toHaveLength(101)
    expect(approach.history[0]).toMatchObject({ before: { kind: 'untried' } })
    expect(approach.history.at(-1)).toMatchObject({ before: { note: 'after 298' } })
  })

  test('[ID1] ids tell the first kind and count in three digits or more', () => {
    expect(approachId('verified', 1)).toBe('approach_001')
    expect(approachId('failed', 12)).toBe('approach_f012')
    expect(approachId('untried', 1234)).toBe('approach_u1234')
    for (const kind of ['verified', 'failed', 'untried'] as const)
      expect(parseApproachId(approachId(kind, 7))).toEqual({ kind, number: 7 })
    for (const id of ['approach_1', 'approach_x001', 'task_p1_code_001', 'approach_001 '])
      expect(parseApproachId(id)).toBeUndefined()
  })
})
