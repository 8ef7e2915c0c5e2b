import { describe, expect, test } from 'vitest'
import {
  expiresAtToWrite,
  maxTerminatingMs,
  postponed,
  type SweepFacts,
  sweep,
  writeLastSeenEveryMs,
} from '../../../src/domain/agent-sessions/expiry.ts'
import { epochMs, instant, later } from '../../../src/domain/instant.ts'
import { fc, property } from '../../support/property.ts'
import { active, atMinute, start, terminating } from './samples.ts'

const hour = 3_600_000
const unknown: SweepFacts = {
  ttlMs: hour,
  processKnownToLive: false,
  lastSeenAt: null,
  hasRunningTurn: false,
}
const keep = { outcome: 'keep' }

describe('the end of a session that nobody ends', () => {
  test('[AS6] a session expires with its time to live, not a moment earlier', () => {
    expect(sweep(later(atMinute(60), -1), active(), unknown)).toEqual(keep)
    expect(sweep(atMinute(60), active(), unknown)).toEqual({
      outcome: 'end',
      reason: 'expired',
      stopsProcess: false,
    })
  })

  test('[AS6] a call that was only remembered counts', () => {
    expect(sweep(atMinute(60), active(), { ...unknown, lastSeenAt: atMinute(0.5) })).toEqual({
      outcome: 'extend',
      expiresAt: atMinute(60.5),
    })
    expect(
      sweep(atMinute(60.5), active(), { ...unknown, lastSeenAt: atMinute(0.5) }),
    ).toMatchObject({ reason: 'expired' })
  })

  test('[AS6] a builder without calls for two hours keeps its session while it lives', () => {
    const living = { ...unknown, processKnownToLive: true }
    expect(sweep(atMinute(120), active(), living)).toEqual({
      outcome: 'extend',
      expiresAt: atMinute(180),
    })
    expect(sweep(atMinute(59), active(), living)).toEqual(keep)
  })

  test('[NA5] a terminating session is ended after a minute, and its process stopped', () => {
    expect(maxTerminatingMs).toBe(60_000)
    for (const processKnownToLive of [true, false]) {
      const facts = { ...unknown, processKnownToLive }
      expect(sweep(later(atMinute(6), -1), terminating(atMinute(5)), facts)).toEqual(keep)
      expect(sweep(atMinute(6), terminating(atMinute(5)), facts)).toEqual({
        outcome: 'end',
        reason: 'closed',
        stopsProcess: true,
      })
    }
  })
})

describe('the sight of a living agent', () => {
  test('[AS6] is written at most once a minute', () => {
    expect(writeLastSeenEveryMs).toBe(60_000)
    expect(expiresAtToWrite(later(atMinute(1), -1), atMinute(60), hour)).toBeUndefined()
    expect(expiresAtToWrite(atMinute(1), atMinute(60), hour)).toBe(atMinute(61))
  })

  test('[AS6] is written when the time to live was made shorter', () => {
    expect(expiresAtToWrite(atMinute(1), atMinute(60), hour / 2)).toBe(atMinute(31))
  })

  property.prop([
    fc.array(fc.integer({ min: 1, max: 5_900 }), { minLength: 1, maxLength: 200 }),
    fc.constantFrom(6_000, 60_000, hour),
  ])(
    '[AS6] an agent that calls in time never expires by what is written alone, and few calls are written',
    (gaps, ttlMs) => {
      let now = start
      let stored = later(start, ttlMs)
      let writes = 0
      for (const gap of gaps.map((each) => Math.min(each, ttlMs / 2))) {
        now = later(now, gap)
        expect(now < stored).toBe(true)
        const written = expiresAtToWrite(now, stored, ttlMs)
        if (written) writes++
        stored = written ?? stored
      }
      const elapsed = epochMs(now) - epochMs(start)
      expect(writes).toBeLessThanOrEqual(elapsed / Math.min(60_000, ttlMs / 2))
    },
  )

  property.prop([fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }), fc.boolean()])(
    '[AS6] a session whose process is known to live is never expired',
    (minutes, seen, closing) => {
      const current = closing ? terminating(atMinute(minutes)) : active()
      const facts = {
        ttlMs: hour,
        processKnownToLive: true,
        lastSeenAt: atMinute(seen),
        hasRunningTurn: false,
      }
      const decision = sweep(atMinute(minutes), current, facts)
      expect(decision).not.toMatchObject({ reason: 'expired' })
      if (decision.outcome === 'extend')
        expect(decision.expiresAt > instant(epochMs(atMinute(minutes)))).toBe(true)
    },
  )
})

describe('time in which nobody could be heard', () => {
  const asleep = 8 * hour
  const awake = later(atMinute(20), asleep)

  test('[RE5] moves every deadline by as much', () => {
    const chat = active({ lastAnswerAt: atMinute(15), suspectedAt: atMinute(20) })
    expect(postponed(awake, chat, asleep, hour)).toEqual({
      ...chat,
      expiresAt: later(atMinute(60), asleep),
      lastAnswerAt: later(atMinute(15), asleep),
      suspectedAt: awake,
    })
    expect(postponed(awake, terminating(atMinute(19)), asleep, hour)).toMatchObject({
      terminatingAt: later(atMinute(19), asleep),
    })
  })

  test('[RE5] counts the soft timeout from signing in where nothing was answered yet', () => {
    expect(postponed(awake, active(), asleep, hour).lastAnswerAt).toBe(later(start, asleep))
  })

  property.prop([
    fc.integer({ min: 0, max: 10_000 }),
    fc.integer({ min: 0, max: 10_000 }),
    fc.boolean(),
  ])(
    '[RE5] never to where a call made now would not bring it, and never backwards',
    (minutes, byMinutes, closing) => {
      const now = atMinute(minutes)
      const current = closing ? terminating(start) : active({ suspectedAt: start })
      const moved = postponed(now, current, byMinutes * 60_000, hour)
      expect(moved.expiresAt >= current.expiresAt).toBe(true)
      expect(
        moved.expiresAt <=
          (current.expiresAt > later(now, hour) ? current.expiresAt : later(now, hour)),
      ).toBe(true)
      for (const at of [
        moved.lastAnswerAt,
        moved.suspectedAt,
        moved.state === 'terminating' ? moved.terminatingAt : null,
      ])
        if (at !== null) expect(at >= start && at <= now).toBe(true)
    },
  )
})
