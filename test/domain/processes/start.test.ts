import { describe, expect, test } from 'vitest'
import {
  type AgentAction,
  agentAction,
  decideOrder,
  type OrderDecision,
  type OrderFacts,
  type StartFacts,
} from '../../../src/domain/processes/start.ts'

const now = '2026-03-01T09:00:00.000Z'
const nothing: StartFacts = {
  hasTask: false,
  unreadMessages: 0,
  pendingChatSince: null,
  live: [],
  startOutstanding: false,
  heldBecause: null,
}
const held = { heldBecause: 'crashed 3 times in 60 s' }

describe('whether an agent is started', () => {
  test.each<[string, Partial<StartFacts>, AgentAction['action']]>([
    ['not without work', {}, 'none'],
    ['for a task', { hasTask: true }, 'start'],
    ['for a message', { unreadMessages: 1 }, 'start'],
    ['for an open panel', { pendingChatSince: now }, 'start'],
    ['not where a live session has the work', { unreadMessages: 1, live: ['chat'] }, 'none'],
    [
      'for a task beside a live chat',
      { unreadMessages: 1, hasTask: true, live: ['chat'] },
      'start',
    ],
    ['not while another start is under way', { unreadMessages: 1, startOutstanding: true }, 'none'],
    ['not while none is needed, held or not', held, 'none'],
  ])('[CO3] %s', (_case, facts, action) => {
    expect(agentAction(now, { ...nothing, ...facts }).action).toBe(action)
  })

  test('[CO7] not while it is held, and the reason is told', () => {
    expect(agentAction(now, { ...nothing, ...held, unreadMessages: 1 })).toEqual({
      action: 'hold',
      reason: held.heldBecause,
    })
  })
})

describe('what the server does about it', () => {
  const working: OrderFacts = { ...nothing, unreadMessages: 1, startable: true, isHeld: false }

  test.each<[string, Partial<OrderFacts>, OrderDecision]>([
    ['it orders a launch', {}, { order: 'launch' }],
    ['not of an agent that it cannot start', { startable: false }, { order: 'none' }],
    ['not without work', { unreadMessages: 0 }, { order: 'none' }],
    ['not while one is outstanding', { startOutstanding: true }, { order: 'none' }],
    [
      '[CO7] none is held beside one that a person has let go',
      { ...held, startOutstanding: true },
      { order: 'none' },
    ],
    ['one that failed too often is held', held, { order: 'hold', because: held.heldBecause }],
    ['one that is held stays so', { ...held, isHeld: true }, { order: 'none' }],
    [
      'one that is held is let go when nothing holds it any more',
      { isHeld: true },
      { order: 'release' },
    ],
    [
      'one that is held is not let go without work',
      { isHeld: true, unreadMessages: 0 },
      { order: 'none' },
    ],
  ])('[CO3] %s', (_case, facts, decision) => {
    expect(decideOrder(now, { ...working, ...facts })).toEqual(decision)
  })
})
