/** The sessions of a project stand under days (UI15). */
import { expect, test } from 'vitest'
import { byDay, dayOf } from '../../../web/src/projects/days.ts'

/** A local time, as the page is read somewhere. */
const at = (day: number, hour = 12) => new Date(2026, 4, day, hour).toISOString()
const now = new Date(2026, 4, 20, 0, 30).getTime()

test('[UI15] a day is a calendar day where the page is read', () => {
  expect(dayOf(at(20, 0), now)).toBe('today')
  expect(dayOf(at(19, 23), now)).toBe('yesterday')
  expect(dayOf(at(18), now)).toBe('week')
  expect(dayOf(at(14), now)).toBe('week')
  expect(dayOf(at(13), now)).toEqual({ month: '2026-05' })
})

test('[UI15] things of a day stand together, in the order they come', () => {
  const things = [{ at: at(20, 0) }, { at: at(19) }, { at: at(19, 1) }, { at: at(1) }]
  expect(byDay(things, now).map(({ name, items }) => [name, items.length])).toEqual([
    ['today', 1],
    ['yesterday', 2],
    [{ month: '2026-05' }, 1],
  ])
})
