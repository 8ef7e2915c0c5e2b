/** Silence is counted only while somebody could have been heard. */
import { describe, expect, test } from 'vitest'
import { instant } from '../../src/domain/instant.ts'
import {
  addOfflinePeriod,
  maxOfflinePeriods,
  type OfflinePeriod,
  onlineMsSince,
} from '../../src/domain/silence.ts'
import { fc, property } from '../support/property.ts'

const stretch = (from: number, to: number): OfflinePeriod => ({
  from: instant(from),
  to: instant(to),
})

describe('time in which somebody could be heard', () => {
  test.each<[string, number, number, OfflinePeriod[], number]>([
    ['nothing was missed', 100, 200, [], 100],
    ['it slept in between', 100, 200, [stretch(120, 150)], 70],
    ['it slept before', 100, 200, [stretch(20, 50)], 100],
    ['it fell asleep before', 100, 200, [stretch(50, 150)], 50],
    ['it slept all the time', 100, 200, [stretch(50, 250)], 0],
    ['it slept twice', 100, 200, [stretch(110, 120), stretch(130, 150)], 70],
    ['the clock went back', 200, 100, [], 0],
  ])('[CO6] %s', (_case, since, now, deaf, ms) => {
    expect(onlineMsSince(instant(since), instant(now), deaf)).toBe(ms)
  })

  property.prop([fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 60 }), fc.nat(5000)])(
    '[CO6] however often it slept, few stretches are kept, and what is forgotten only gives more time',
    (sleeps, since) => {
      let at = 0
      let kept: readonly OfflinePeriod[] = []
      const all: OfflinePeriod[] = []
      for (const [awake, asleep] of sleeps) {
        const deaf = stretch(at + awake, at + awake + asleep)
        at += awake + asleep
        all.push(deaf)
        kept = addOfflinePeriod(kept, deaf)
      }
      expect(kept.length).toBeLessThanOrEqual(maxOfflinePeriods)
      const now = instant(6000)
      expect(onlineMsSince(instant(since), now, kept)).toBeLessThanOrEqual(
        onlineMsSince(instant(since), now, all),
      )
    },
  )
})
