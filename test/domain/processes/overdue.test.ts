/** Which processes are stopped by the clock, and which the clock must not touch. */
import { describe, expect, test } from 'vitest'
import { later } from '../../../src/domain/instant.ts'
import { type Launch, type LaunchFacts, overdue } from '../../../src/domain/processes/lifecycle.ts'
import { effectiveSettings } from '../../../src/domain/projects/settings.ts'
import { held, now, over, running, starting, stopping, waiting } from './launch-samples.ts'

const minute = 60_000
const facts: LaunchFacts = {
  startable: true,
  hasWork: true,
  coordinator: 'here',
  othersReachable: false,
  signedIn: true,
  holds: null,
  signedOutAt: null,
  settings: effectiveSettings({}),
}
const chat = { purpose: 'chat', lastHeardAt: now, unanswered: false } as const
const notYet = { ...facts, signedIn: false }
const away = { coordinator: 'away' } as const

describe('a launch that has outlived what it was for', () => {
  test.each<[string, Launch, LaunchFacts, number, string | undefined]>([
    ['waits for work that is there', waiting, facts, 1000 * minute, undefined],
    ['waits for work that is gone', waiting, { ...facts, hasWork: false }, 0, 'withdrawn'],
    [
      'waits for an agent that is off the project',
      waiting,
      { ...facts, startable: false },
      0,
      'withdrawn',
    ],
    [
      'waits for a coordinator that is away, the only one',
      waiting,
      { ...facts, ...away },
      0,
      undefined,
    ],
    [
      'waits for one that is away while another is here',
      waiting,
      { ...facts, ...away, othersReachable: true },
      0,
      'withdrawn',
    ],
    [
      'is held',
      held,
      { ...facts, hasWork: false, ...away, othersReachable: true },
      1000 * minute,
      undefined,
    ],
    [
      'is held, of an agent that is off the project',
      held,
      { ...facts, startable: false },
      0,
      'withdrawn',
    ],
    ['has ended', over, { ...facts, startable: false }, 1000 * minute, undefined],
    ['is starting', starting, notYet, minute - 1, undefined],
    ['does not start', starting, notYet, minute, 'start_timeout'],
    ['runs and has not signed in yet', running, notYet, minute - 1, undefined],
    ['runs and never signs in', running, notYet, minute, 'start_timeout'],
    [
      'never signs in, unheard of with its coordinator',
      running,
      { ...notYet, ...away },
      1000 * minute,
      undefined,
    ],
    ['is being stopped already', stopping, notYet, 1000 * minute, undefined],
    ['has signed out a moment ago', running, { ...facts, signedOutAt: now }, 29_999, undefined],
    ['has signed out and does not go', running, { ...facts, signedOutAt: now }, 30_000, 'finished'],
    ['chats', running, { ...facts, holds: chat }, 15 * minute - 1, undefined],
    ['says nothing in its chat', running, { ...facts, holds: chat }, 15 * minute, 'idle'],
    [
      'is at work on an answer',
      running,
      { ...facts, holds: { ...chat, unanswered: true } },
      120 * minute - 1,
      undefined,
    ],
    [
      'never answers',
      running,
      { ...facts, holds: { ...chat, unanswered: true } },
      120 * minute,
      'idle',
    ],
    [
      'says nothing, with its coordinator',
      running,
      { ...facts, ...away, holds: chat },
      1000 * minute,
      undefined,
    ],
    [
      'builds for a week',
      running,
      { ...facts, holds: { ...chat, purpose: 'task' } },
      10_000 * minute,
      undefined,
    ],
    [
      'serves an agent that is off the project, while it holds a session',
      running,
      { ...facts, startable: false, holds: chat },
      0,
      undefined,
    ],
  ])('[NA6] one that %s, after a while', (_case, launch, known, afterMs, reason) => {
    expect(overdue(later(now, afterMs), launch, known, [])?.reason).toBe(reason)
  })

  test('[CO6] an hour in which nobody could be heard ends nothing', () => {
    const woken = later(now, 60 * minute)
    const deaf = [{ from: later(now, 1000), to: woken }]
    for (const known of [notYet, { ...facts, signedOutAt: now }, { ...facts, holds: chat }]) {
      expect(overdue(woken, running, known, deaf)).toBeUndefined()
      expect(overdue(woken, running, known, [])).toBeDefined()
    }
  })

  test('[CO3] one that never signs in is told in words', () => {
    expect(overdue(later(now, minute), running, notYet, [])?.detail).toMatchObject({
      text: 'It did not sign in within 60 seconds',
    })
  })
})
