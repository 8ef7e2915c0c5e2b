import { describe, expect, test } from 'vitest'
import {
  boundaryOf,
  clockTime,
  dayAfter,
  dayBefore,
  endOf,
  logicalDay,
  parseDay,
} from '../../../src/domain/conversations/chapter.ts'
import { epochMs, instant } from '../../../src/domain/instant.ts'

const tokyo = { hour: 4, timezone: 'Asia/Tokyo' }
const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC']
const hours = Array.from({ length: 24 }, (_, hour) => hour)
const from = Temporal.Instant.from('2020-01-01T00:00Z')
const until = Temporal.Instant.from('2031-01-01T00:00Z').epochMilliseconds
const dayMs = 24 * 3_600_000

interface Transition {
  readonly timezone: string
  readonly day: string
}

/**
 * Every change of a zone's offset in the years; zones that change alike within the days around it
 * are looked at once.
 */
function transitions(): { all: number; distinct: Transition[] } {
  const distinct = new Map<string, Transition>()
  let all = 0
  for (const timezone of zones) {
    let at = from.toZonedDateTimeISO(timezone)
    for (;;) {
      const next = at.getTimeZoneTransition('next')
      if (!next || next.epochMilliseconds >= until) break
      const offsets = [-5, 0, 5].map((days) => next.add({ days }).offsetNanoseconds)
      const before = next.subtract({ nanoseconds: 1 }).offsetNanoseconds
      distinct.set(`${next.epochMilliseconds} ${before} ${offsets}`, {
        timezone,
        day: next.toPlainDate().toString(),
      })
      all++
      at = next
    }
  }
  return { all, distinct: [...distinct.values()] }
}

/**
 * Asserts that these days cover time without gaps: each has about 24 hours and owns its first and
 * its last moment.
 */
function expectDaysToTile(hour: number, timezone: string, first: string, count: number): void {
  const rule = { hour, timezone }
  for (let day = first, n = 0; n < count; n++, day = dayAfter(day)) {
    const begins = epochMs(boundaryOf(rule, day))
    const ends = epochMs(endOf(rule, day))
    const length = ends - begins
    const owner = [begins, ends - 1].map((at) => logicalDay(rule, instant(at)))
    // `expect` is called only on a failure: it would take most of the time of 20,000 days.
    if (length < dayMs / 2 || length > 1.5 * dayMs || owner.some((each) => each !== day))
      expect.fail(
        `${timezone} at ${hour}: ${day} has ${length} ms, and its first and last moment belong to ${owner}`,
      )
  }
}

describe('the logical day', () => {
  test('[DC1] at 04:00 in Tokyo, 03:59 belongs to yesterday', () => {
    expect(logicalDay(tokyo, '2026-11-15T18:59:59.999Z')).toBe('2026-11-15')
    expect(logicalDay(tokyo, '2026-11-15T19:00:00.000Z')).toBe('2026-11-16')
    expect(boundaryOf(tokyo, '2026-11-16')).toBe('2026-11-15T19:00:00.000Z')
    expect(clockTime(tokyo, '2026-11-15T18:59:59.999Z')).toBe('03:59')
  })

  test('[DC1] each day of 2020 to 2030 is cut over once, in every zone, at every hour', () => {
    const { all, distinct } = transitions()
    expect(all).toBeGreaterThan(2500)
    expect(distinct.length).toBeGreaterThan(100)
    for (const { timezone, day } of distinct)
      for (const hour of hours) expectDaysToTile(hour, timezone, dayBefore(day), 2)
  })

  test('[DC1] the days of 2020 to 2030 are as many as the calendar has, in every zone', () => {
    zones.forEach((timezone, n) => {
      for (let year = 2020; year <= 2030; year++) {
        const month = String(1 + ((n + year) % 12)).padStart(2, '0')
        expectDaysToTile((n * 7 + year) % 24, timezone, `${year}-${month}-11`, 1)
      }
    })
  })

  test('[DC1] days of 23 and 25 hours and a missing boundary hour are cut over', () => {
    const lengthOf = (hour: number, day: string) => {
      const rule = { hour, timezone: 'Europe/Berlin' }
      return (epochMs(endOf(rule, day)) - epochMs(boundaryOf(rule, day))) / 3_600_000
    }
    expect(lengthOf(4, '2026-03-28')).toBe(23)
    expect(lengthOf(4, '2026-10-24')).toBe(25)
    // 02:00 is skipped on the 29th of March: the day begins at 03:00, an hour that has no other
    // beginning.
    expect(boundaryOf({ hour: 2, timezone: 'Europe/Berlin' }, '2026-03-29')).toBe(
      '2026-03-29T01:00:00.000Z',
    )
    // 02:00 comes twice on the 25th of October: the day begins at the first.
    expect(boundaryOf({ hour: 2, timezone: 'Europe/Berlin' }, '2026-10-25')).toBe(
      '2026-10-25T00:00:00.000Z',
    )
    expect(lengthOf(2, '2026-10-25')).toBe(25)
  })

  test('[DC1] a date that a zone left out owns no moment, and the days around it lose none', () => {
    const rule = { hour: 4, timezone: 'Pacific/Apia' }
    expect(boundaryOf(rule, '2011-12-30')).toBe(boundaryOf(rule, '2011-12-31'))
    expect(logicalDay(rule, boundaryOf(rule, '2011-12-31'))).toBe('2011-12-31')
    expect(logicalDay(rule, instant(epochMs(boundaryOf(rule, '2011-12-31')) - 1))).toBe(
      '2011-12-29',
    )
  })

  test('[DC3] a day is read in both forms, and nothing that is no date', () => {
    expect(parseDay('20261115')).toBe('2026-11-15')
    expect(parseDay('2026-11-15')).toBe('2026-11-15')
    for (const wrong of ['20260230', '2026-13-01', '2026', '../../x', '20261115\n', ''])
      expect(parseDay(wrong)).toBeUndefined()
  })
})
