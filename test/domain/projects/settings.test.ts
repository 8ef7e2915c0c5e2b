import { describe, expect, test } from 'vitest'
import {
  changeSettings,
  effectiveSettings,
  type SettingKey,
  settingRules,
} from '../../../src/domain/projects/settings.ts'
import { fc, property } from '../../support/property.ts'

/** NA10, word for word: the default, the least and the most. */
const rule = {
  'chat.wait_interval_seconds': [5, 1, 55],
  'chat.soft_timeout_minutes': [10, 0.05, 1440],
  'chat.hard_timeout_minutes': [15, 0.05, 1440],
  'chat.summarize_after_chars': [60_000, 1000, 10_000_000],
  'agent_session.ttl_minutes': [60, 0.1, 10_080],
  'process_exit.grace_seconds': [10, 0, 60],
  'agent.start_timeout_seconds': [60, 1, 600],
  'user_session.detached_hours': [24, 0.001, 720],
  'checkpoint.interval_minutes': [5, 0.05, 60],
  'resume.budget_tokens': [8000, 500, 200_000],
  'permission.deadline_minutes': [1440, 0.05, 10_080],
  'turn.max_minutes': [120, 0.05, 1440],
  'worktree.remove_after_days': [0, 0, 3650],
  'files.keep_days': [90, 0, 3650],
  'restart.max': [3, 0, 100],
  'restart.window_seconds': [60, 1, 3600],
} as const satisfies Partial<Record<SettingKey, readonly [number, number, number]>>

const numberKeys = Object.keys(rule) as (keyof typeof rule)[]
const soft = 'chat.soft_timeout_minutes'
const hard = 'chat.hard_timeout_minutes'
/** The pair that must stay in order has tests of its own. */
const freeKeys = numberKeys.filter((key) => key !== soft && key !== hard)

const chosenAfter = (change: Record<string, unknown>, before = {}) => {
  const result = changeSettings(before, change)
  if ('problem' in result) throw new Error(result.problem.detail.text)
  return result.chosen
}
const problemOf = (change: Record<string, unknown>, before = {}) => {
  const result = changeSettings(before, change)
  return 'problem' in result ? result.problem : undefined
}

describe('the settings of a project', () => {
  test('[NA10] every setting has the default and the range of the rule', () => {
    expect(Object.keys(settingRules).sort()).toEqual(
      [
        ...numberKeys,
        ...['permission.policy', 'agent.runs_on', 'chat.workplace'],
        ...['land.check', 'land.protected', 'land.ssh', 'land.co_author'],
      ].sort(),
    )
    for (const key of numberKeys) {
      const { fallback, min, max } = settingRules[key]
      expect([fallback, min, max], key).toEqual(rule[key])
    }
    expect(effectiveSettings({})).toMatchObject({
      'permission.policy': 'ask',
      'chat.workplace': 'checkout',
      [soft]: 10,
    })
  })

  test('[NA10] a setting takes the ends of its range and nothing beyond them', () => {
    for (const key of freeKeys) {
      const [, min, max] = rule[key]
      expect(effectiveSettings(chosenAfter({ [key]: min }))[key]).toBe(min)
      expect(effectiveSettings(chosenAfter({ [key]: max }))[key]).toBe(max)
      for (const beyond of [min - 0.001, max + 0.001])
        expect(problemOf({ [key]: beyond })).toMatchObject({ key, min, max })
    }
  })

  property.prop([fc.constantFrom(...freeKeys), fc.double({ noNaN: true })])(
    '[NA10] a number is accepted exactly when it is in the range, and whole where only whole ones make sense',
    (key, value) => {
      const [, min, max] = rule[key]
      const wholeOnly = 'whole' in settingRules[key]
      const fits = value >= min && value <= max && (!wholeOnly || Number.isInteger(value))
      expect(problemOf({ [key]: value }) === undefined).toBe(fits)
    },
  )

  property.prop([
    fc.constantFrom(...numberKeys),
    fc.anything().filter((value) => typeof value !== 'number' && value !== null),
  ])('[NA10] anything but a number is refused with the range', (key, value) => {
    expect(problemOf({ [key]: value })).toMatchObject({ key, min: rule[key][1], max: rule[key][2] })
  })

  property.prop([
    fc.double({ min: 0.05, max: 1440, noNaN: true }),
    fc.double({ min: 0.05, max: 1440, noNaN: true }),
  ])(
    '[NA10] the hard timeout is never before the soft one, whichever is changed',
    (softMinutes, hardMinutes) => {
      const inOrder = hardMinutes >= softMinutes
      expect(problemOf({ [soft]: softMinutes, [hard]: hardMinutes }) === undefined).toBe(inOrder)
      const wide = { [hard]: 1440 }
      const before = chosenAfter({ [soft]: softMinutes }, wide)
      expect(problemOf({ [hard]: hardMinutes }, before) === undefined).toBe(inOrder)
    },
  )

  test('[NA10] of two timeouts out of order, the one that was changed is to be corrected', () => {
    expect(problemOf({ [hard]: 5 })).toMatchObject({ key: hard, min: 10, max: 1440 })
    expect(problemOf({ [soft]: 20 })).toMatchObject({ key: soft, min: 0.05, max: 15 })
    expect(problemOf({ [hard]: null }, { [soft]: 20, [hard]: 30 })).toMatchObject({
      key: hard,
      min: 20,
    })
  })

  test('[NA10] the policy is one of its words', () => {
    expect(chosenAfter({ 'permission.policy': 'allow_reads' })).toEqual({
      'permission.policy': 'allow_reads',
    })
    expect(problemOf({ 'chat.workplace': 'garden' })).toMatchObject({
      allowed: ['worktree', 'checkout'],
    })
    expect(problemOf({ 'permission.policy': 'yes' })).toMatchObject({
      allowed: ['ask', 'allow_reads', 'allow_all'],
    })
  })

  test('[NA10] an unknown setting is refused with the nearest one', () => {
    expect(problemOf({ 'chat.soft_timeout_minute': 3 })?.detail.text).toContain(
      'did you mean chat.soft_timeout_minutes?',
    )
    for (const key of ['__proto__', 'constructor', 'hasOwnProperty', '']) {
      expect(problemOf(JSON.parse(`{${JSON.stringify(key)}: 1}`))?.key).toBe(key)
    }
  })

  test('[NA10] one bad value refuses the whole change', () => {
    const before = { 'restart.max': 7 }
    expect(problemOf({ 'restart.max': 8, 'restart.window_seconds': 0 }, before)).toMatchObject({
      key: 'restart.window_seconds',
    })
    expect(before).toEqual({ 'restart.max': 7 })
  })

  test('[NA10] null, or the default itself, takes a setting back to its default', () => {
    expect(chosenAfter({ 'restart.max': null }, { 'restart.max': 7 })).toEqual({})
    expect(chosenAfter({ 'restart.max': 3 }, { 'restart.max': 7 })).toEqual({})
  })

  const anyChange = fc.dictionary(
    fc.constantFrom(...numberKeys, 'permission.policy', 'no.such.setting'),
    fc.oneof(
      fc.constant(null),
      fc.double({ noNaN: true }),
      fc.integer({ min: 0, max: 1500 }),
      fc.constantFrom('ask', 'allow_all', ''),
    ),
    { maxKeys: 4 },
  )

  property.prop([fc.array(anyChange, { maxLength: 20 })])(
    '[NA10] after any changes, accepted and refused, what applies is a full set within its ranges',
    (changes) => {
      let chosen = {}
      for (const change of changes) {
        const result = changeSettings(chosen, change)
        if ('chosen' in result) chosen = result.chosen
      }
      const settings = effectiveSettings(chosen)
      expect(Object.keys(settings).sort()).toEqual(Object.keys(settingRules).sort())
      for (const key of numberKeys) {
        expect(settings[key], key).toBeGreaterThanOrEqual(rule[key][1])
        expect(settings[key], key).toBeLessThanOrEqual(rule[key][2])
      }
      expect(Number(settings[hard])).toBeGreaterThanOrEqual(Number(settings[soft]))
    },
  )

  test('[NA10] text of a setting is one line of a bounded length', () => {
    expect(chosenAfter({ 'land.check': 'npm test' })).toEqual({ 'land.check': 'npm test' })
    expect(chosenAfter({ 'land.check': '' }, { 'land.check': 'npm test' })).toEqual({})
    for (const wrong of [7, 'a\nb', 'x'.repeat(1001)])
      expect(problemOf({ 'land.check': wrong })).toMatchObject({ key: 'land.check' })
  })
})
