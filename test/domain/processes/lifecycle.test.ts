/** The life of a launch: every state against every event, and any order of events. */
import { describe, expect, test } from 'vitest'
import {
  decideLaunch,
  type Exit,
  endOf,
  type Launch,
  type LaunchEvent,
  type LeftBehind,
} from '../../../src/domain/processes/lifecycle.ts'
import { fc, property } from '../../support/property.ts'
import { held, now, over, running, starting, stopping, waiting } from './launch-samples.ts'

const exit: Exit = { exitCode: 0, signal: null, found: null, stopped: false }
const events = {
  begin: { type: 'begin' },
  started: { type: 'started', pid: 1, birth: '1' },
  'start-failed': { type: 'start-failed', error: 'not found' },
  exited: { type: 'exited', left: null, ...exit },
  stop: { type: 'stop', reason: 'stopped_by_person' },
  release: { type: 'release', coordinatorId: 'd' },
  lost: { type: 'lost' },
} as const satisfies Record<string, LaunchEvent>

const became = (launch: Launch, event: LaunchEvent): string => {
  const decision = decideLaunch(now, launch, event)
  if (decision.outcome === 'unchanged') return '-'
  return decision.became === 'ended' ? `ended ${decision.launch.reason}` : decision.became
}

describe('a launch', () => {
  test.each<[keyof typeof events, string, string, string, string, string]>([
    ['begin', 'starting', '-', '-', '-', '-'],
    ['started', 'running', '-', 'running', '-', '-'],
    [
      'start-failed',
      'ended start_failed',
      'ended start_failed',
      'ended start_failed',
      'ended start_failed',
      '-',
    ],
    ['exited', 'ended exited', 'ended exited', 'ended exited', 'ended exited', '-'],
    ['stop', 'ended stopped_by_person', 'ended stopped_by_person', 'stopping', 'stopping', '-'],
    ['release', '-', 'waiting', '-', '-', '-'],
    [
      'lost',
      'ended coordinator_lost',
      '-',
      'ended coordinator_lost',
      'ended coordinator_lost',
      '-',
    ],
  ])('[CO2] %s', (name, ...expected) => {
    const event = events[name]
    expect([waiting, held, starting, running, over].map((launch) => became(launch, event))).toEqual(
      expected,
    )
  })

  test('[CO7] a released launch is ordered anew and tells from whom and when', () => {
    const decision = decideLaunch('2026-03-01T10:00:00.000Z', held, events.release)
    expect(decision).toMatchObject({
      launch: {
        state: 'waiting',
        coordinatorId: 'd',
        orderedAt: '2026-03-01T10:00:00.000Z',
        detail: null,
      },
    })
  })

  test('[CO2] an ordered stop is the reason of the end; a second one changes nothing', () => {
    expect(became(stopping, events.stop)).toBe('-')
    expect(became(stopping, { ...events.exited, exitCode: 1 })).toBe('ended idle')
    expect(
      became(stopping, { ...events.exited, exitCode: null, signal: 'SIGKILL', stopped: true }),
    ).toBe('ended idle')
    expect(became(stopping, events['start-failed'])).toBe('ended idle')
    expect(became(stopping, events.lost)).toBe('ended coordinator_lost')
  })

  test.each<[string, Partial<Exit>, LeftBehind, string]>([
    ['without an error', {}, null, 'exited'],
    ['with an error', { exitCode: 1 }, null, 'crashed'],
    ['by a signal that was not ours', { exitCode: null, signal: 'SIGSEGV' }, null, 'crashed'],
    ['nobody knows how', { exitCode: null }, null, 'crashed'],
    [
      'because its coordinator was stopped on purpose',
      { exitCode: null, signal: 'SIGTERM', stopped: true },
      null,
      'shutdown',
    ],
    ['as a leftover', { exitCode: null, found: 'leftover' }, null, 'leftover'],
    ['while nobody looked', { exitCode: null, found: 'gone' }, null, 'leftover'],
    [
      'as a leftover that the coordinator ended',
      { exitCode: null, found: 'leftover', stopped: true },
      null,
      'leftover',
    ],
    ['without an error or a sign-in, and with work there', {}, 'never_signed_in', 'start_failed'],
    ['without an error, in the middle of its work', {}, 'in_mid_work', 'crashed'],
    ['with an error, in the middle of its work', { exitCode: 2 }, 'in_mid_work', 'crashed'],
  ])('[CO7] one that ends %s', (_how, how, left, reason) => {
    expect(endOf(running, { ...exit, ...how }, left).reason).toBe(reason)
    expect(endOf(stopping, { ...exit, ...how }, left).reason).toBe('idle')
  })

  const anyEvent = fc.constantFrom<LaunchEvent>(
    ...Object.values(events),
    { ...events.exited, exitCode: 1 },
    { ...events.stop, reason: 'idle' },
  )

  property.prop([fc.constantFrom(waiting, held), fc.array(anyEvent, { maxLength: 12 })])(
    '[CO2] in any order of events its reason is there exactly when it has ended, and neither changes afterwards',
    (first, order) => {
      let launch = first
      for (const event of order) {
        const decision = decideLaunch(now, launch, event)
        if (launch.state === 'ended') expect(decision.outcome).toBe('unchanged')
        if (decision.outcome === 'unchanged') continue
        const next = decision.launch
        expect(next.reason !== null).toBe(next.state === 'ended')
        expect(next.endedAt !== null).toBe(next.state === 'ended')
        if (launch.stopReason !== null) expect(next.stopReason).toBe(launch.stopReason)
        // A process that was seen is never forgotten.
        if (launch.pid !== null) expect(next.pid).toBe(launch.pid)
        launch = next
      }
    },
  )
})
