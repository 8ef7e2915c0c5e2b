import { describe, expect, test } from 'vitest'
import type { Purpose } from '../../../src/domain/agent-sessions/lifecycle.ts'
import {
  currentWork,
  detectWork,
  pendingPurposeLifetimeMs,
  type WorkFacts,
} from '../../../src/domain/agent-sessions/work-detection.ts'
import { later } from '../../../src/domain/instant.ts'
import { fc, property } from '../../support/property.ts'
import { atMinute, start } from './samples.ts'

const now = atMinute(60)
const none: WorkFacts = { hasTask: false, unreadMessages: 0, pendingChatSince: null, live: [] }
const task = { hasTask: true }
const unread = { unreadMessages: 2 }
const panel = { pendingChatSince: atMinute(59) }

type Row = [title: string, facts: Partial<WorkFacts>, found: 'task' | 'chat' | 'no_work']

describe('[AS2] work detection', () => {
  test.each<Row>([
    ['[AS2] nothing to do is no work', {}, 'no_work'],
    ['[AS3] a task in progress is task work', task, 'task'],
    ['[AS3] unread messages are chat work', unread, 'chat'],
    ['[AS3] a panel somebody opened is chat work', panel, 'chat'],
    ['[AS2] task work comes before chat work', { ...task, ...unread, ...panel }, 'task'],
    ['[AS3] a task that a live session has is no work', { ...task, live: ['task'] }, 'no_work'],
    [
      '[AS3] messages that a live session gets are no work',
      { ...unread, live: ['chat'] },
      'no_work',
    ],
    [
      '[AS3] a panel that a live session serves is no work',
      { ...panel, live: ['chat'] },
      'no_work',
    ],
    ['[AS4] a chat may begin beside a task', { ...task, ...unread, live: ['task'] }, 'chat'],
    ['[AS4] a task may begin beside a chat', { ...task, ...unread, live: ['chat'] }, 'task'],
    [
      '[AS4] with both live there is nothing left',
      { ...task, ...unread, ...panel, live: ['chat', 'task'] },
      'no_work',
    ],
  ])('%s', (_title, facts, found) => {
    expect(detectWork(now, { ...none, ...facts }).purpose).toBe(found)
  })

  test('[AS3] an open panel is used up by the chat it leads to, and only by that', () => {
    expect(detectWork(now, { ...none, ...panel })).toEqual({
      purpose: 'chat',
      usesUpPendingChat: true,
    })
    expect(detectWork(now, { ...none, ...unread })).toEqual({
      purpose: 'chat',
      usesUpPendingChat: false,
    })
    expect(detectWork(now, { ...none, ...panel, ...task })).toEqual({ purpose: 'task' })
  })

  test('[AS3] an open panel lapses after 10 minutes', () => {
    expect(pendingPurposeLifetimeMs).toBe(600_000)
    const opened = { ...none, pendingChatSince: start }
    expect(detectWork(later(start, 599_999), opened).purpose).toBe('chat')
    expect(detectWork(later(start, 600_000), opened).purpose).toBe('no_work')
  })

  test('[PX4] without the check for sessions a task comes first, then unread messages', () => {
    const both = { ...none, live: ['chat', 'task'] } as const
    expect(currentWork({ ...both, ...task, ...unread })).toBe('task')
    expect(currentWork({ ...both, ...unread })).toBe('chat')
    expect(currentWork({ ...both, ...panel })).toBe('no_work')
  })

  const facts: fc.Arbitrary<WorkFacts> = fc.record({
    hasTask: fc.boolean(),
    unreadMessages: fc.nat(3),
    pendingChatSince: fc.option(fc.integer({ min: 30, max: 60 }).map(atMinute), { nil: null }),
    live: fc.uniqueArray(fc.constantFrom<Purpose>('chat', 'task')),
  })

  property.prop([facts])(
    '[AS4] a purpose that has a live session is never given again',
    (given) => {
      expect(given.live).not.toContain(detectWork(now, given).purpose)
    },
  )

  property.prop([facts])(
    '[AS2] agents that sign in one after the other get each purpose at most once, then no_work',
    (given) => {
      const got: string[] = []
      let current = given
      for (let attempt = 0; attempt < 3; attempt++) {
        const found = detectWork(now, current)
        got.push(found.purpose)
        if (found.purpose !== 'no_work')
          current = { ...current, live: [...current.live, found.purpose] }
      }
      expect(got.filter((purpose) => purpose === 'task').length).toBeLessThanOrEqual(1)
      expect(got.filter((purpose) => purpose === 'chat').length).toBeLessThanOrEqual(1)
      expect(got.at(-1)).toBe('no_work')
    },
  )
})
