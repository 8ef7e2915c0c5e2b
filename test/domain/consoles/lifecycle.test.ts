/** The life of an agent in a role, case by case. */
import { describe, expect, test } from 'vitest'
import {
  assignRole,
  decideUserSession,
  isAbandoned,
  mayPrompt,
  type Occupant,
  type ProcessEnd,
  type RoleAgentDecision,
  type RoleAgentEvent,
  type RoleAgentLife,
} from '../../../src/domain/consoles/lifecycle.ts'
import type { Detail } from '../../../src/domain/notices.ts'
import { statusNotice } from '../../../src/domain/status-texts.ts'

const end = (changes: Partial<ProcessEnd> = {}): ProcessEnd => ({
  exitCode: 1,
  signal: null,
  error: 'It crashed',
  stoppedByPerson: false,
  toSleep: false,
  ...changes,
})
const ready: RoleAgentEvent = { type: 'ready' }
const failed: RoleAgentEvent = { type: 'failed', step: 'session', error: 'No' }
const gone: RoleAgentEvent = { type: 'process-ended', end: end() }
const stopped: RoleAgentEvent = { type: 'process-ended', end: end({ stoppedByPerson: true }) }
const terminate = (processLeft: boolean): RoleAgentEvent => ({
  type: 'terminate',
  reason: 'user requested',
  processLeft,
})
const gaveUp: RoleAgentEvent = { type: 'gave-up' }

const life = (state: RoleAgentLife['state'], leaving: string | null = null): RoleAgentLife => ({
  state,
  leaving: leaving === null ? null : { reason: leaving },
  asleep: false,
})
const asleep = (leaving: string | null = null): RoleAgentLife => ({
  ...life('ACTIVE', leaving),
  asleep: true,
})
const sleep: RoleAgentEvent = { type: 'sleep' }
const goneToSleep: RoleAgentEvent = { type: 'process-ended', end: end({ toSleep: true }) }

const crash = { error: 'It crashed', exitCode: 1, signal: null } as const
const unchanged: RoleAgentDecision = { became: 'unchanged' }
const terminated = (reason: Detail): RoleAgentDecision => ({ became: 'terminated', reason })

const cases: [string, RoleAgentLife, RoleAgentEvent, RoleAgentDecision][] = [
  ['becomes ready', life('SPAWNING'), ready, { became: 'ready' }],
  ['is ready once', life('ACTIVE'), ready, unchanged],
  [
    'fails at a step',
    life('SPAWNING'),
    failed,
    { became: 'failed', step: 'session', error: 'No', exitCode: null, signal: null },
  ],
  ['does not fail a start that is over', life('ACTIVE'), failed, unchanged],
  [
    'dies before it is ready',
    life('SPAWNING'),
    gone,
    { became: 'failed', step: 'process', ...crash },
  ],
  ['dies while active', life('ACTIVE'), gone, { became: 'failed', step: 'running', ...crash }],
  ['is over after it failed: no news', life('FAILED'), gone, unchanged],
  ['is stopped by a person', life('ACTIVE'), stopped, terminated(statusNotice('stoppedByPerson'))],
  ['falls asleep', life('ACTIVE'), sleep, { became: 'asleep' }],
  ['falls asleep once', asleep(), sleep, unchanged],
  ['does not fall asleep before it is ready', life('SPAWNING'), sleep, unchanged],
  ['leaving, does not fall asleep', life('ACTIVE', 'x'), sleep, unchanged],
  ['asleep, its process goes as it was told to', asleep(), goneToSleep, unchanged],
  ['ends with Holdfast, and sleeps', life('ACTIVE'), goneToSleep, { became: 'asleep' }],
  [
    'ends with Holdfast before it is ready, and sleeps',
    life('SPAWNING'),
    goneToSleep,
    { became: 'asleep' },
  ],
  ['ends with Holdfast after it failed: no news', life('FAILED'), goneToSleep, unchanged],
  ['asleep, is woken', asleep(), ready, { became: 'ready' }],
  [
    'asleep, cannot be woken',
    asleep(),
    failed,
    { became: 'failed', step: 'session', error: 'No', exitCode: null, signal: null },
  ],
  [
    'asleep, dies while it is woken',
    asleep(),
    gone,
    { became: 'failed', step: 'running', ...crash },
  ],
  ['asleep, is terminated', asleep(), terminate(false), terminated('user requested')],
  ['asleep and leaving, has gone', asleep('x'), goneToSleep, terminated('x')],
  [
    'leaves first',
    life('ACTIVE'),
    terminate(true),
    { became: 'leaving', reason: 'user requested' },
  ],
  [
    'leaves at once without a process',
    life('SPAWNING'),
    terminate(false),
    terminated('user requested'),
  ],
  [
    'leaves at once when it has failed',
    life('FAILED'),
    terminate(false),
    terminated('user requested'),
  ],
  ['is asked to leave twice', life('ACTIVE', 'first'), terminate(true), unchanged],
  ['leaving, does not become ready', life('SPAWNING', 'x'), ready, unchanged],
  ['leaving, does not fail', life('SPAWNING', 'x'), failed, unchanged],
  ['leaving, has gone', life('ACTIVE', 'x'), gone, terminated('x')],
  ['leaving, is given up on', life('SPAWNING', 'x'), gaveUp, terminated('x')],
  ['is not given up on unasked', life('ACTIVE'), gaveUp, unchanged],
  ...[ready, failed, gone, stopped, terminate(true), gaveUp].map(
    (event): [string, RoleAgentLife, RoleAgentEvent, RoleAgentDecision] => [
      `stays terminated: ${event.type}`,
      life('TERMINATED'),
      event,
      unchanged,
    ],
  ),
]

test.each(cases)('[AG1] an agent in a role %s', (_, current, event, decision) => {
  expect(decideUserSession(current, event)).toEqual(decision)
})

describe('roles', () => {
  const occupant = (
    role: string,
    state: Occupant['state'],
    leaving: string | null = null,
  ): Occupant => ({
    ...life(state, leaving),
    role,
  })

  test('[US2] a role is taken from spawn to leaving; one whose agent failed is retried', () => {
    for (const taken of [
      occupant('db', 'SPAWNING'),
      occupant('db', 'ACTIVE'),
      occupant('db', 'ACTIVE', 'x'),
    ])
      expect(assignRole({ state: 'ACTIVE', occupants: [taken] }, 'db', 9)).toEqual({
        refused: 'role_taken',
      })
    const occupants = [occupant('db', 'FAILED'), occupant('auth', 'ACTIVE')]
    expect(assignRole({ state: 'ACTIVE', occupants }, 'db', 9)).toEqual({ replaces: true })
    expect(assignRole({ state: 'ACTIVE', occupants }, 'ui', 9)).toEqual({ replaces: false })
    expect(assignRole({ state: 'ACTIVE', occupants }, 'ui', 2)).toMatchObject({
      refused: 'wrong_state',
    })
    expect(assignRole({ state: 'TERMINATED', occupants: [] }, 'ui', 9)).toEqual({
      refused: 'user_session_terminated',
    })
  })

  test('[RL6] only an active agent of an active session is spoken to', () => {
    expect(mayPrompt('ACTIVE', life('ACTIVE'))).toBeUndefined()
    expect(mayPrompt('ACTIVE', undefined)).toMatchObject({ refused: 'agent_not_found' })
    for (const not of [life('SPAWNING'), life('FAILED'), life('ACTIVE', 'x')])
      expect(mayPrompt('ACTIVE', not)).toMatchObject({ refused: 'agent_not_active' })
    expect(mayPrompt('TERMINATED', life('ACTIVE'))).toMatchObject({
      refused: 'user_session_terminated',
    })
  })

  test('[US3] a user session is forsaken when nobody came for its time and nothing runs', () => {
    expect([isAbandoned(10, 10, 0), isAbandoned(9, 10, 0), isAbandoned(99, 10, 1)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
