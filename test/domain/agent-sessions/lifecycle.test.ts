import { describe, expect, test } from 'vitest'
import {
  type AgentSession,
  type AgentSessionEvent,
  afterActivity,
  begin,
  decideAgentSession,
  type EndReason,
  refusalOn,
  type Transition,
} from '../../../src/domain/agent-sessions/lifecycle.ts'
import { fc, property } from '../../support/property.ts'
import { active, atMinute, ended, start, terminating } from './samples.ts'

/** AS5, word for word. */
const reasons = [
  'closed',
  'timeout',
  'work_done',
  'logout',
  'process_exited',
  'orphaned',
  'expired',
  'coordinator_lost',
  'revoked',
] as const satisfies readonly EndReason[]

const now = atMinute(5)

describe('the life of an agent session', () => {
  test('[AS6] a session begins active, with its time to live ahead of it', () => {
    const lease = {
      id: 'x',
      agentId: 'ada',
      projectId: 'p',
      lane: '',
      purpose: 'task',
      launchId: 'l',
      workSessionId: 'w',
    } as const
    expect(begin(start, lease, 3_600_000)).toEqual({
      ...lease,
      state: 'active',
      createdAt: start,
      lastActivityAt: start,
      lastAnswerAt: null,
      expiresAt: atMinute(60),
      suspectedAt: null,
    })
  })

  test('[AS5] closing an active one makes it terminating, nothing more', () => {
    expect(decideAgentSession(now, active(), { type: 'close' })).toEqual({
      outcome: 'changed',
      agentSession: terminating(now),
      transitions: [{ to: 'terminating', at: now }],
    })
  })

  test.each(reasons)(
    '[AS5] an end without notice (%s) passes through terminating, and both steps are told',
    (reason) => {
      expect(decideAgentSession(now, active(), { type: 'end', reason })).toEqual({
        outcome: 'changed',
        agentSession: { ...terminating(now), state: 'ended', endedAt: now, endReason: reason },
        transitions: [
          { to: 'terminating', at: now },
          { to: 'ended', at: now, reason },
        ],
      })
    },
  )

  test.each(reasons)(
    '[AS5] the end (%s) of a terminating one is one step, and keeps when it was asked to go',
    (reason) => {
      expect(decideAgentSession(now, terminating(atMinute(4)), { type: 'end', reason })).toEqual({
        outcome: 'changed',
        agentSession: {
          ...terminating(atMinute(4)),
          state: 'ended',
          endedAt: now,
          endReason: reason,
        },
        transitions: [{ to: 'ended', at: now, reason }],
      })
    },
  )

  test('[CH4] closing what closes already changes nothing', () => {
    expect(decideAgentSession(now, terminating(atMinute(4)), { type: 'close' })).toEqual({
      outcome: 'unchanged',
    })
  })

  test('[AS8] logout is idempotent, and does not change why it ended', () => {
    expect(decideAgentSession(now, ended('logout'), { type: 'end', reason: 'logout' })).toEqual({
      outcome: 'unchanged',
    })
    expect(decideAgentSession(now, ended('orphaned'), { type: 'end', reason: 'logout' })).toEqual({
      outcome: 'unchanged',
    })
  })

  test('[AS8] a call on an ended session is refused with the reason; a live one is served', () => {
    expect(refusalOn(ended('revoked'))).toEqual({ code: 'session_ended', reason: 'revoked' })
    expect(refusalOn(active())).toBeUndefined()
    expect(refusalOn(terminating(start))).toBeUndefined()
  })

  test('[AS6] answers and progress are activity; only answers renew the soft timeout', () => {
    expect(afterActivity(now, active(), 'answer')).toMatchObject({
      lastActivityAt: now,
      lastAnswerAt: now,
    })
    expect(afterActivity(now, active({ lastAnswerAt: start }), 'progress')).toMatchObject({
      lastActivityAt: now,
      lastAnswerAt: start,
    })
  })

  const events: fc.Arbitrary<AgentSessionEvent> = fc.oneof(
    fc.constant({ type: 'close' } as const),
    fc.record({ type: fc.constant('end' as const), reason: fc.constantFrom(...reasons) }),
  )

  property.prop([fc.array(events, { maxLength: 12 })])(
    '[AS5] whatever happens: active, then terminating, then ended; never back, never past a step, and the first reason stays',
    (happenings) => {
      let current = active() as AgentSession
      const received: Transition[] = []
      for (const event of happenings) {
        const decision = decideAgentSession(now, current, event)
        if (decision.outcome === 'unchanged') continue
        current = decision.agentSession
        received.push(...decision.transitions)
      }
      expect(received.map(({ to }) => to)).toEqual(
        ['terminating', 'ended'].slice(0, received.length),
      )
      expect(current.state).toBe(received.at(-1)?.to ?? 'active')
      const firstEnd = happenings.find((event) => event.type === 'end')
      if (current.state === 'ended') expect(current.endReason).toBe(firstEnd?.reason)
      else expect(firstEnd).toBeUndefined()
    },
  )
})
