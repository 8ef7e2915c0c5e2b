import { describe, expect, test } from 'vitest'
import type { EndReason } from '../../../src/domain/agent-sessions/lifecycle.ts'
import type { PlanStanding } from '../../../src/domain/work/plan.ts'
import {
  decideWorkSession,
  endAsAsked,
  endWithAgentSession,
  type WorkSession,
  type WorkSessionEvent,
  workSessionOf,
} from '../../../src/domain/work/work-session-lifecycle.ts'
import { fc, property } from '../../support/property.ts'

const then = '2026-03-01T09:00:00.000Z'
const now = '2026-03-01T10:00:00.000Z'
const running = workSessionOf('sess_1', null, null)
const interrupted = workSessionOf('sess_1', then, 'process_exited')
const completed = workSessionOf('sess_1', then, null)

const complete: WorkSessionEvent = { type: 'complete' }
const interrupt: WorkSessionEvent = { type: 'interrupt', reason: 'stopped' }

describe('the life of a work session', () => {
  test('[WK1] a work session runs until it ends, and is interrupted if ended with a reason', () => {
    expect([running, interrupted, completed].map(({ state }) => state)).toEqual([
      'running',
      'interrupted',
      'completed',
    ])
    // A row that was never ended is running, whatever was written beside it.
    expect(workSessionOf('sess_1', null, 'error').state).toBe('running')
  })

  test.each<[string, WorkSession, WorkSessionEvent, object]>([
    [
      'a running one completes',
      running,
      complete,
      { workSession: workSessionOf('sess_1', now, null) },
    ],
    [
      'a running one is interrupted',
      running,
      interrupt,
      { workSession: workSessionOf('sess_1', now, 'stopped') },
    ],
    ['the first reason stays', interrupted, interrupt, { outcome: 'unchanged' }],
    ['completed twice is completed', completed, complete, { outcome: 'unchanged' }],
    [
      'a completed one is not interrupted',
      completed,
      interrupt,
      { refusal: { code: 'work_session_completed' } },
    ],
    [
      'an interrupted one is resumed, not completed',
      interrupted,
      complete,
      { refusal: { code: 'wrong_state', state: 'interrupted' } },
    ],
  ])('[WK1] %s', (_title, current, event, expected) => {
    expect(decideWorkSession(now, current, event)).toMatchObject(expected)
  })

  test.each<[string, Parameters<typeof endAsAsked>[0], WorkSessionEvent]>([
    ['nothing said', {}, complete],
    ['completed', { completed: true }, complete],
    ['completed, with a word', { completed: true, reason: 'all done' }, complete],
    ['a reason alone', { reason: 'lunch' }, { type: 'interrupt', reason: 'lunch' }],
    ['not completed', { completed: false }, { type: 'interrupt', reason: 'stopped' }],
    [
      'not completed, with a reason',
      { completed: false, reason: 'error' },
      { type: 'interrupt', reason: 'error' },
    ],
    ['an empty reason', { reason: '' }, { type: 'interrupt', reason: 'stopped' }],
  ])('[WK9] ended by a person: %s', (_title, asked, event) => {
    expect(endAsAsked(asked)).toEqual(event)
  })

  property.prop([fc.array(fc.constantFrom(complete, interrupt), { maxLength: 6 })])(
    '[WK1] whatever happens, the first end is the end',
    (happenings) => {
      let current = running
      for (const event of happenings) {
        const decision = decideWorkSession(now, current, event)
        if (decision.outcome === 'changed') current = decision.workSession
      }
      const [first] = happenings
      expect(current.state).toBe(
        !first ? 'running' : first.type === 'complete' ? 'completed' : 'interrupted',
      )
    },
  )
})

describe('the end of the agent session that drove it', () => {
  const abandoned = 'abandoned'
  test.each<[EndReason, open: string, stuck: string]>([
    ['logout', abandoned, 'task_failed'],
    ['work_done', 'goes on', 'task_failed'],
    ['closed', 'stopped', 'stopped'],
    ['timeout', abandoned, abandoned],
    ['process_exited', 'process_exited', 'process_exited'],
    ['orphaned', abandoned, abandoned],
    ['expired', abandoned, abandoned],
    ['coordinator_lost', 'coordinator_lost', 'coordinator_lost'],
    ['revoked', abandoned, abandoned],
  ])(
    '[AS9] %s: %s while a task is open, %s when all wait for a failure, completed with none left',
    (because, open, stuck) => {
      const outcome = (plan: PlanStanding): string => {
        const event = endWithAgentSession(because, plan)
        if (event === null) return 'goes on'
        return event.type === 'complete' ? 'completed' : event.reason
      }
      expect([outcome('open'), outcome('stuck'), outcome('done')]).toEqual([
        open,
        stuck,
        'completed',
      ])
    },
  )
})
