import { describe, expect, test } from 'vitest'
import {
  isSummaryDue,
  type Summarised,
  setSummary,
} from '../../../src/domain/conversations/messages.ts'
import { effectiveSettings } from '../../../src/domain/projects/settings.ts'
import { fc, property } from '../../support/property.ts'

const fresh: Summarised = {
  summary: '',
  summaryThrough: 0,
  keptAfter: 0,
  unsummarisedChars: 70_000,
}
const refused = expect.objectContaining({
  refused: expect.objectContaining({ code: 'invalid_request' }),
})

describe('the summary of a long conversation', () => {
  test('[NA9] is due when the part without one exceeds the size of the settings', () => {
    const due = (unsummarisedChars: number, settings = {}): boolean =>
      isSummaryDue({ ...fresh, unsummarisedChars }, effectiveSettings(settings))
    expect(due(60_000)).toBe(false)
    expect(due(60_001)).toBe(true)
    expect(due(1001, { 'chat.summarize_after_chars': 1000 })).toBe(true)
  })

  test('[NA9] what it covers is no longer handed to agents; what came later is', () => {
    expect(
      setSummary(
        fresh,
        { summary: 'so far', throughSeq: 40 },
        { seenThrough: 42, coveredChars: 69_000 },
      ),
    ).toEqual({
      changed: { summary: 'so far', summaryThrough: 40, keptAfter: 40, unsummarisedChars: 1000 },
    })
  })

  test('[AS8] set again for the same part it replaces the text and cuts nothing twice', () => {
    const before: Summarised = {
      summary: 'so far',
      summaryThrough: 40,
      keptAfter: 40,
      unsummarisedChars: 1000,
    }
    const facts = { seenThrough: 42, coveredChars: 0 }
    expect(setSummary(before, { summary: 'better', throughSeq: 40 }, facts)).toEqual({
      changed: { ...before, summary: 'better' },
    })
  })

  test('[NA9] a summary covers only whole messages that were read, and more than before', () => {
    const facts = { seenThrough: 42, coveredChars: 0 }
    expect(setSummary(fresh, { summary: 'x', throughSeq: 43 }, facts)).toEqual(refused)
    expect(
      setSummary({ ...fresh, summaryThrough: 40 }, { summary: 'x', throughSeq: 39 }, facts),
    ).toEqual(refused)
    expect(setSummary(fresh, { summary: 'x', throughSeq: 1.5 }, facts)).toEqual(refused)
    expect(setSummary(fresh, { summary: 'x', throughSeq: -1 }, facts)).toEqual(refused)
  })

  test('[NA9] never brings back what was cut otherwise', () => {
    const cut = { ...fresh, keptAfter: 50 }
    expect(
      setSummary(cut, { summary: 'x', throughSeq: 40 }, { seenThrough: 60, coveredChars: 0 }),
    ).toMatchObject({
      changed: { keptAfter: 50 },
    })
  })

  property.prop([
    fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 }),
    fc.array(fc.nat(45), { maxLength: 10 }),
  ])(
    '[NA9] after any summaries, accepted and refused, the size left is that of the messages still handed over',
    (lengths, throughs) => {
      const sizeBetween = (after: number, through: number): number =>
        lengths.reduce(
          (sum, length, index) => (index + 1 > after && index + 1 <= through ? sum + length : sum),
          0,
        )
      let current: Summarised = { ...fresh, unsummarisedChars: sizeBetween(0, lengths.length) }
      for (const throughSeq of throughs) {
        const coveredChars = sizeBetween(current.summaryThrough, throughSeq)
        const result = setSummary(
          current,
          { summary: 'x', throughSeq },
          { seenThrough: lengths.length, coveredChars },
        )
        if ('changed' in result) current = result.changed
        expect(current.unsummarisedChars).toBe(sizeBetween(current.keptAfter, lengths.length))
      }
    },
  )
})
