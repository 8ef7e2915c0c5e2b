/** Which instance of a coordinator counts: the table, and any order of greetings. */
import { describe, expect, test } from 'vitest'
import {
  answerGreeting,
  type GreetingAnswer,
  type KnownCoordinator,
} from '../../../src/domain/processes/epoch.ts'
import { fc, property } from '../../support/property.ts'

const known = { instance: 'a', epoch: 5 }

describe('a coordinator that greets', () => {
  test.each<[string, number | null, KnownCoordinator | null, GreetingAnswer]>([
    ['a', null, null, { outcome: 'welcome', epoch: 1, successor: true }],
    ['a', 7, null, { outcome: 'welcome', epoch: 8, successor: true }],
    ['a', null, { instance: null, epoch: 3 }, { outcome: 'welcome', epoch: 4, successor: true }],
    ['a', null, known, { outcome: 'welcome', epoch: 5, successor: false }],
    ['a', 4, known, { outcome: 'fenced', epoch: 5 }],
    ['a', 5, known, { outcome: 'welcome', epoch: 5, successor: false }],
    ['a', 6, known, { outcome: 'welcome', epoch: 6, successor: false }],
    ['b', null, known, { outcome: 'welcome', epoch: 6, successor: true }],
    ['b', 4, known, { outcome: 'fenced', epoch: 5 }],
    ['b', 5, known, { outcome: 'welcome', epoch: 6, successor: true }],
    ['b', 9, known, { outcome: 'welcome', epoch: 10, successor: true }],
    // Taken over: no instance has this name.
    ['a', 5, { instance: '', epoch: 6 }, { outcome: 'fenced', epoch: 6 }],
    ['a', null, { instance: '', epoch: 6 }, { outcome: 'welcome', epoch: 7, successor: true }],
  ])('[CO6] %s with epoch %s, known as %j: %j', (instance, epoch, before, answer) => {
    expect(answerGreeting({ instance, epoch }, before)).toEqual(answer)
  })

  const greeting = fc.record({
    instance: fc.constantFrom('a', 'b', 'c'),
    epoch: fc.option(fc.integer({ min: 1, max: 8 })),
  })

  property.prop([fc.array(greeting)])(
    '[CO6] the epoch never falls, and no two instances are welcomed in the same one',
    (order) => {
      let current: KnownCoordinator | null = null
      const holder = new Map<number, string>()
      for (const each of order) {
        const answer = answerGreeting(each, current)
        if (answer.outcome === 'fenced') continue
        expect(answer.epoch).toBeGreaterThanOrEqual(
          (current as KnownCoordinator | null)?.epoch ?? 0,
        )
        expect(holder.get(answer.epoch) ?? each.instance).toBe(each.instance)
        holder.set(answer.epoch, each.instance)
        current = { instance: each.instance, epoch: answer.epoch }
      }
    },
  )
})
