/** The life of a turn, case by case. */
import { expect, test } from 'vitest'
import type { Detail } from '../../../src/domain/notices.ts'
import { statusNotice } from '../../../src/domain/status-texts.ts'
import {
  decideTurn,
  enqueue,
  nextQueued,
  type TurnDecision,
  type TurnEvent,
  type TurnLife,
  type TurnState,
} from '../../../src/domain/turns/lifecycle.ts'

const life = (state: TurnState, cancelOrdered = false): TurnLife => ({ state, cancelOrdered })
const ended = (
  outcome: 'answered' | 'cancelled' | 'failed',
  stopReason: string | null = null,
  error: string | null = null,
) => ({ type: 'ended', outcome, stopReason, error, hasText: true, isLimit: false }) as const
const silent = { ...ended('answered', 'end_turn'), hasText: false }
const to = (
  state: TurnState,
  stopReason: string | null = null,
  error: Detail | null = null,
): TurnDecision => ({
  outcome: 'changed',
  state,
  stopReason,
  error,
})
const unchanged: TurnDecision = { outcome: 'unchanged' }

const cases: [string, TurnLife, TurnEvent, TurnDecision][] = [
  ['starts', life('queued'), { type: 'start' }, to('running')],
  ['starts once', life('running'), { type: 'start' }, unchanged],
  [
    'is withdrawn while it waits',
    life('queued'),
    { type: 'withdraw' },
    to('cancelled', 'withdrawn'),
  ],
  ['is not withdrawn once it runs', life('running'), { type: 'withdraw' }, unchanged],
  [
    'is cancelled while it runs',
    life('running'),
    { type: 'cancel' },
    { outcome: 'cancel-ordered' },
  ],
  ['is cancelled once', life('running', true), { type: 'cancel' }, unchanged],
  ['is not cancelled before it runs', life('queued'), { type: 'cancel' }, unchanged],
  ['is answered', life('running'), ended('answered', 'end_turn'), to('answered', 'end_turn')],
  [
    'is no answer without text',
    life('running'),
    silent,
    to('failed', 'empty', statusNotice('endedEmpty')),
  ],
  [
    'is no answer at the most tokens',
    life('running'),
    ended('answered', 'max_tokens'),
    to('failed', 'max_tokens', statusNotice('endedMaxTokens')),
  ],
  [
    'is no answer at the most requests',
    life('running'),
    ended('answered', 'max_turn_requests'),
    to('failed', 'max_turn_requests', statusNotice('endedMaxTurns')),
  ],
  [
    'is no answer when it refused',
    life('running'),
    ended('answered', 'refusal'),
    to('failed', 'refusal', statusNotice('endedRefusal')),
  ],
  [
    'is at its limit, said as an answer',
    life('running'),
    { ...ended('answered'), isLimit: true },
    to('failed', 'limit'),
  ],
  [
    'is at its limit, said as an error',
    life('running'),
    { ...ended('failed', null, 'No'), isLimit: true },
    to('failed', 'limit', 'No'),
  ],
  [
    'took too long',
    life('running'),
    ended('failed', 'took_too_long', 'No'),
    to('failed', 'took_too_long', 'No'),
  ],
  [
    'is answered without a word why',
    life('running'),
    ended('answered'),
    to('answered', 'end_turn'),
  ],
  [
    'is over cancelled',
    life('running', true),
    ended('cancelled', 'end_turn'),
    to('cancelled', 'cancelled'),
  ],
  ['is over failed', life('running'), ended('failed', null, 'No'), to('failed', 'error', 'No')],
  ['does not end before it began', life('queued'), ended('answered'), unchanged],
  [
    'is unknown when its agent has gone',
    life('running'),
    { type: 'agent-gone' },
    to('unknown', 'process_gone'),
  ],
  [
    'never ran when its agent has gone',
    life('queued'),
    { type: 'agent-gone' },
    to('cancelled', 'withdrawn'),
  ],
  ['is sent with an earlier one', life('queued'), { type: 'join' }, to('cancelled', 'joined')],
  ['is not sent with another once it runs', life('running'), { type: 'join' }, unchanged],
  [
    'is answered by an agent that pulls',
    life('running'),
    { type: 'answer', hasText: true },
    to('answered', 'end_turn'),
  ],
  [
    'is only read by an agent that pulls',
    life('running'),
    { type: 'answer', hasText: false },
    to('answered', 'read'),
  ],
  ['is not answered before it runs', life('queued'), { type: 'answer', hasText: true }, unchanged],
  ['is stopped with its agent', life('running'), { type: 'stop' }, to('cancelled', 'cancelled')],
  ['is stopped before it runs', life('queued'), { type: 'stop' }, to('cancelled', 'withdrawn')],
  ['waits again when it did not run', life('running'), { type: 'not-run' }, to('queued')],
  ['waits while it waits', life('queued'), { type: 'not-run' }, unchanged],
  ...(['answered', 'cancelled', 'failed', 'unknown'] as const).flatMap((state) =>
    (
      [
        { type: 'start' },
        { type: 'cancel' },
        { type: 'agent-gone' },
        { type: 'stop' },
        { type: 'not-run' },
        ended('answered'),
      ] as const
    ).map((event): [string, TurnLife, TurnEvent, TurnDecision] => [
      `stays ${state}: ${event.type}`,
      life(state),
      event,
      unchanged,
    ]),
  ),
]

test.each(cases)('[RL6] a turn %s', (_, current, event, decision) => {
  expect(decideTurn(current, event)).toEqual(decision)
})

test('[RL6] one turn runs at a time; the others wait in order, and not without end', () => {
  const [running, first, second] = [life('running'), life('queued'), life('queued')]
  expect(enqueue([], 2)).toBe('run')
  expect(enqueue([running], 2)).toEqual({ position: 1 })
  expect(enqueue([running, first], 2)).toEqual({ position: 2 })
  expect(enqueue([running, first, second], 2)).toBe('full')
  expect(nextQueued([running, first])).toBeUndefined()
  expect(nextQueued([first, second])).toBe(first)
  expect(nextQueued([])).toBeUndefined()
})
