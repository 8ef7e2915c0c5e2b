import { describe, expect, test } from 'vitest'
import { inReadingOrder, truncateHistory } from '../../../src/domain/conversations/messages.ts'
import { fc, property } from '../../support/property.ts'

const history = { keptAfter: 3, kept: [4, 6, 7, 9] }

describe('cutting a history', () => {
  test.each([
    ['keeps the last ones', 2, 6],
    ['clears with 0', 0, 9],
    ['cuts nothing when there are as many', 4, 3],
    ['cuts nothing when there are fewer', 100, 3],
  ])('[CV1] %s', (_title, keepLast, keptAfter) => {
    expect(truncateHistory(history, keepLast)).toEqual({ keptAfter })
  })

  test.each([-1, -0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    '[CV1] %s is refused',
    (keepLast) => {
      expect(truncateHistory(history, keepLast)).toMatchObject({
        refused: { code: 'invalid_request', field: 'keepLast' },
      })
    },
  )

  test('[CV1] an empty history stays empty', () => {
    expect(truncateHistory({ keptAfter: 9, kept: [] }, 0)).toEqual({ keptAfter: 9 })
  })

  property.prop([fc.uniqueArray(fc.integer({ min: 1, max: 500 })), fc.nat(30)])(
    '[CV1] exactly the newest are left, and the newest keepLast + 1 suffice to say so',
    (numbers, keepLast) => {
      const kept = numbers.toSorted((a, b) => a - b)
      const result = truncateHistory({ keptAfter: 0, kept }, keepLast)
      expect(truncateHistory({ keptAfter: 0, kept: kept.slice(-1 - keepLast) }, keepLast)).toEqual(
        result,
      )
      const after = 'keptAfter' in result ? result.keptAfter : Number.NaN
      expect(kept.filter((seq) => seq > after)).toEqual(keepLast === 0 ? [] : kept.slice(-keepLast))
    },
  )
})

test('[CV13] an answer comes before what was written while it was given', () => {
  const at = (n: number) => `2026-03-01T09:00:0${n}.000Z`
  const asked = (n: number) => ({ role: 'user', createdAt: at(n) })
  const answer = (n: number, begun: number) => ({
    role: 'assistant',
    createdAt: at(n),
    begunAt: at(begun),
  })
  const [first, second, third] = [asked(1), asked(3), asked(4)]
  const [one, two] = [answer(5, 2), answer(7, 6)]
  expect(inReadingOrder([first, second, third, one, two])).toEqual([first, one, second, third, two])
  expect(inReadingOrder([second, one])).toEqual([one, second])
  // A message without a turn, such as an imported one, stays, and nothing goes over an answer.
  const plain = { role: 'assistant', createdAt: at(9) }
  expect(inReadingOrder([third, plain, one])).toEqual([third, plain, one])
})
