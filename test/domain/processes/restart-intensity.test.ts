/** How often an agent may fail before it is held, and what lifts that. */
import { describe, expect, test } from 'vitest'
import { type Detail, textOf } from '../../../src/domain/notices.ts'
import { heldBecause } from '../../../src/domain/processes/start.ts'
import { effectiveSettings } from '../../../src/domain/projects/settings.ts'
import { fc, property } from '../../support/property.ts'

const settings = (max = 3, seconds = 60) =>
  effectiveSettings({ 'restart.max': max, 'restart.window_seconds': seconds })
const failed = (count: number, lastDetail: string | null = null) => ({ count, lastDetail })
const wordsOf = (detail: Detail | null) => detail && textOf(detail)
const held = { since: '2026-03-01T09:00:00.000Z', because: 'It failed', newMessage: false }

describe('an agent that fails', () => {
  test.each([
    [0, 3, null],
    [2, 3, null],
    [3, 3, 'It failed 3 times within 60 s'],
    [4, 3, 'It failed 4 times within 60 s'],
    [0, 1, null],
    [1, 1, 'It failed once within 60 s'],
    // None allowed: the first one is tried all the same.
    [0, 0, null],
    [1, 0, 'It failed once within 60 s'],
  ])('[CO7] %d times, with %d allowed: %s', (count, max, because) => {
    expect(wordsOf(heldBecause(null, failed(count), settings(max)))).toBe(because)
  })

  test('[CO7] what the last one said is part of the reason', () => {
    expect(wordsOf(heldBecause(null, failed(3, 'spawn nope ENOENT'), settings(3, 5)))).toBe(
      'It failed 3 times within 5 s. Last: spawn nope ENOENT',
    )
  })

  property.prop([fc.nat(10), fc.nat(100)])(
    '[CO7] held it stays held, until a new message buys one more try',
    (count, max) => {
      expect(heldBecause(held, failed(count), settings(max))).toBe('It failed')
      expect(heldBecause({ ...held, newMessage: true }, failed(count), settings(max))).toBeNull()
    },
  )
})
