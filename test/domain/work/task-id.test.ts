import { describe, expect, test } from 'vitest'
import { nextSeq, taskId } from '../../../src/domain/work/task-lifecycle.ts'
import { fc, property } from '../../support/property.ts'

describe('the id of a task', () => {
  test.each([
    [1, 'code', 1, 'task_p1_code_001'],
    [2, 'Code Review', 42, 'task_p2_code_review_042'],
    [3, 'asset', 1000, 'task_p3_asset_1000'],
    [1, '../étude', 1, 'task_p1_etude_001'],
    [1, '企画', 1, 'task_p1_task_001'],
  ])('[ID1] phase %s, %s, number %s is %s', (phase, type, seq, id) => {
    expect(taskId(phase, type, seq)).toBe(id)
  })

  test('[ID1] is counted within its phase and type', () => {
    const taken = [
      'task_p1_code_001',
      'task_p1_code_007',
      'task_p2_code_009',
      'task_p1_code_x_050',
      'task_p1_design_030',
      'other',
    ]
    expect(nextSeq(1, 'code', taken)).toBe(8)
    expect(nextSeq(2, 'Code', taken)).toBe(10)
    expect(nextSeq(1, 'code x', taken)).toBe(51)
    expect(nextSeq(3, 'code', taken)).toBe(1)
  })

  property.prop([
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 }),
        fc.oneof(fc.constantFrom('a', 'a_001', 'a 001', 'A'), fc.string()),
      ),
    ),
  ])(
    '[ID1] ids given one after the other never repeat, and fit into an address and a file name',
    (made) => {
      const taken = new Set<string>()
      for (const [phase, type] of made) {
        const id = taskId(phase, type, nextSeq(phase, type, taken))
        expect(taken.has(id)).toBe(false)
        expect(id).toMatch(/^task_p\d+_[a-z0-9_]{1,40}_\d{3,}$/)
        taken.add(id)
      }
    },
  )
})
