/** How long is alone: counted awake, and by the clock only where others take over by it. */
import { expect, test } from 'vitest'
import { OfflineTimer, tickMs } from '../../src/coordinator/offline-timer.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { heartbeatMs } from '../../src/protocol/processes/link.ts'
import { manualClock } from '../support/manual-clock.ts'

const minuteMs = 60_000

function begin() {
  const clock = manualClock()
  let asleepMs = 0
  /** The same hands, but a sleep moves them without anybody noticing. */
  const sleepy: Clock = { now: () => clock.now() + asleepMs, after: clock.after }
  const received: string[] = []
  const alone = new OfflineTimer({
    clock: sleepy,
    aloneMinutes: 30,
    onOfflineTooLong: () => received.push('alone'),
    onTakeoverDue: () => received.push('takeover'),
  })
  alone.start()
  const sleep = (ms: number): void => {
    asleepMs += ms
  }
  return { clock, alone, received, sleep }
}

test('[CO9] after half an hour without a server it is time to go, and not before', () => {
  const { clock, received } = begin()
  clock.advance(30 * minuteMs - 1)
  expect(received).toEqual([])
  clock.advance(1)
  expect(received).toEqual(['alone'])
  clock.advance(60 * minuteMs)
  expect(received).toEqual(['alone'])
})

test('[CO9] whoever is heard of begins again', () => {
  const { clock, alone, received } = begin()
  for (let beats = 0; beats < 10; beats++) {
    clock.advance(29 * minuteMs)
    alone.reset()
  }
  expect(received).toEqual([])
})

test('[CO9] a closed lid is no absence: an hour asleep counts for nothing', () => {
  const { clock, received, sleep } = begin()
  for (let nights = 0; nights < 5; nights++) {
    clock.advance(5 * minuteMs)
    sleep(60 * minuteMs)
  }
  expect(received).toEqual([])
})

test('[CO9] the server says how long', () => {
  const { clock, alone, received } = begin()
  alone.setLimits(1, null)
  clock.advance(minuteMs)
  expect(received).toEqual(['alone'])
})

test('[CO6] where another takes over by the clock, everything has ended before that', () => {
  const { clock, alone, received } = begin()
  alone.setLimits(30, 2)
  clock.advance(2 * minuteMs - 15_000 - tickMs)
  expect(received).toEqual([])
  clock.advance(tickMs)
  expect(received).toEqual(['takeover'])
  clock.advance(5 * minuteMs)
  expect(received).toEqual(['takeover'])
})

test('[CO6] after a sleep the server has a moment to be heard before that is judged', () => {
  const { clock, alone, received, sleep } = begin()
  alone.setLimits(30, 2)
  sleep(60 * minuteMs)
  clock.advance(tickMs)
  expect(received).toEqual([])
  alone.reset()
  clock.advance(tickMs)
  expect(received).toEqual([])
  sleep(60 * minuteMs)
  clock.advance(heartbeatMs + 2 * tickMs)
  expect(received).toEqual([])
  clock.advance(heartbeatMs)
  expect(received).toEqual(['takeover'])
})

test('[CO6] a clock that jumps ahead while the server is heard at every beat ends nothing', () => {
  const { clock, alone, received, sleep } = begin()
  alone.setLimits(30, 2)
  for (let jumps = 0; jumps < 3; jumps++) {
    clock.advance(tickMs / 2)
    sleep(60 * minuteMs)
    clock.advance(heartbeatMs - tickMs / 2)
    alone.reset()
  }
  clock.advance(heartbeatMs)
  expect(received).toEqual([])
})

test('[CO6] a clock that is set back does not make it stay beyond the takeover', () => {
  const { clock, alone, received, sleep } = begin()
  alone.setLimits(30, 2)
  sleep(-60 * minuteMs)
  clock.advance(2 * minuteMs - 15_000)
  expect(received).toEqual(['takeover'])
})
