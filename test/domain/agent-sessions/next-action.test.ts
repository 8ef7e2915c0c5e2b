import { describe, expect, test } from 'vitest'
import type { AgentSession, EndReason } from '../../../src/domain/agent-sessions/lifecycle.ts'
import {
  afterAuthentication,
  type ChatFacts,
  heldUntil,
  type NextAction,
  nextAction,
  type TaskFacts,
  type WaitSettings,
} from '../../../src/domain/agent-sessions/next-action.ts'
import { later } from '../../../src/domain/instant.ts'
import { effectiveSettings } from '../../../src/domain/projects/settings.ts'
import { fc, property } from '../../support/property.ts'
import { active, atMinute, ended, start, terminating } from './samples.ts'

const patience: WaitSettings = { settings: effectiveSettings({}), holdSeconds: 50 }
const quiet: ChatFacts = {
  purpose: 'chat',
  undelivered: 0,
  unanswered: 0,
  summaryDue: null,
  yieldsConversation: false,
  waitsForFolder: false,
  approvalId: null,
  approvalDecidedAt: null,
}
const idle: TaskFacts = { purpose: 'task', approvalId: null, resumes: false, taskId: null }

const unread = { undelivered: 2 }
const handed = { unanswered: 1 }
const summary = { summaryDue: { conversationKey: 'web:p.a', throughSeq: 17 } }
const another = { yieldsConversation: true }
const approval = { approvalId: 4 }

const chat = (
  facts: Partial<ChatFacts>,
  now = atMinute(1),
  agentSession: AgentSession = active(),
  given = patience,
): NextAction => nextAction(now, agentSession, { ...quiet, ...facts }, given)
const task = (
  facts: Partial<TaskFacts>,
  now = atMinute(1),
  agentSession: AgentSession = active({ purpose: 'task' }),
): NextAction => nextAction(now, agentSession, { ...idle, ...facts }, patience)

type Row = [
  title: string,
  answer: NextAction,
  action: NextAction['action'],
  state: NextAction['state'],
]

describe('[NA2] what an agent in a chat does next', () => {
  test.each<Row>([
    [
      '[NA2] with unread messages it gets them',
      chat(unread),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[NA7] what it was handed stays unread until it answers',
      chat(handed),
      'get_pending_messages',
      'chat_pending',
    ],
    ['[NA3] with none it waits', chat({}), 'wait_for_messages', 'chat_waiting'],
    [
      '[NA9] a summary that is due comes before waiting',
      chat(summary),
      'summarize_conversation',
      'summary_due',
    ],
    [
      '[NA2] unread wins over a summary that is due',
      chat({ ...unread, ...summary }),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[NA2] unread wins over the timeout',
      chat(unread, atMinute(600)),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[NA2] what it was handed wins over the timeout',
      chat(handed, atMinute(600)),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[NA2] a summary wins over the timeout',
      chat(summary, atMinute(600)),
      'summarize_conversation',
      'summary_due',
    ],
    [
      '[CX13] it makes room when another conversation is next',
      chat(another),
      'exit',
      'session_closed',
    ],
    [
      '[CX13] but not with its own unanswered',
      chat({ ...another, ...handed }),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[AP3] it waits for an approval it asked for',
      chat(approval),
      'wait_for_approval',
      'approval_pending',
    ],
    [
      '[AP3] and is not sent away meanwhile',
      chat(approval, atMinute(600)),
      'wait_for_approval',
      'approval_pending',
    ],
    [
      '[AP3] also with the question unanswered',
      chat({ ...approval, ...handed }),
      'wait_for_approval',
      'approval_pending',
    ],
    [
      '[NA2] a new message wins over an approval',
      chat({ ...approval, ...unread }),
      'get_pending_messages',
      'chat_pending',
    ],
    [
      '[NA9] a summary is written meanwhile',
      chat({ ...approval, ...summary }),
      'summarize_conversation',
      'summary_due',
    ],
    [
      '[NA5] terminating wins over all',
      chat({ ...unread, ...summary, ...approval }, atMinute(1), terminating(start)),
      'exit',
      'session_closed',
    ],
  ])('%s', (_title, answer, action, state) => {
    expect(answer).toMatchObject({ action, state })
  })

  test('[NA3] the answer “wait” says how often to ask and when patience ends', () => {
    const settings = effectiveSettings({
      'chat.wait_interval_seconds': 7,
      'chat.soft_timeout_minutes': 0.5,
    })
    const answer = chat({}, start, active(), { settings, holdSeconds: 600 })
    expect(answer).toMatchObject({
      waitSeconds: 7,
      idleTimeoutMinutes: 0.5,
      timesOutAt: atMinute(0.5),
    })
    expect(answer.instruction).toContain('wait_seconds: 600')
    expect(answer.instruction).toContain('7 seconds')
  })

  test('[NA4] a session without an answer is over after ten minutes, not earlier', () => {
    expect(chat({}, later(atMinute(10), -1))).toMatchObject({
      action: 'wait_for_messages',
      timesOutAt: atMinute(10),
    })
    expect(chat({}, atMinute(10))).toMatchObject({
      action: 'exit',
      state: 'chat_timeout',
      reason: 'timeout',
      ends: 'timeout',
    })
  })

  test('[NA4] the ten minutes count from the last answer', () => {
    const answered = active({ lastAnswerAt: atMinute(9) })
    expect(chat({}, atMinute(18.99), answered)).toMatchObject({ action: 'wait_for_messages' })
    expect(chat({}, atMinute(19), answered)).toMatchObject({ action: 'exit', reason: 'timeout' })
  })

  test('[NA2] a message at 9:59 is answered, whenever the agent asks', () => {
    expect(chat(unread, atMinute(30))).toMatchObject({ action: 'get_pending_messages' })
  })

  test('[NA5] a terminating session ends with the exit it is handed', () => {
    expect(chat({}, atMinute(1), terminating(start))).toMatchObject({
      action: 'exit',
      reason: 'session_closed',
      ends: 'closed',
    })
    expect(task({ taskId: 't' }, atMinute(1), terminating(start))).toMatchObject({
      reason: 'session_closed',
      ends: 'closed',
    })
  })

  test('[AP3] waiting for an approval names it', () => {
    expect(chat(approval)).toMatchObject({ approvalId: 4, waitSeconds: 5 })
    expect(chat(approval).instruction).toContain('approval 4')
  })

  test('[AP3] a decision after an hour is acted on, not met with the timeout', () => {
    const decided = { approvalDecidedAt: atMinute(60) }
    expect(chat(decided, atMinute(60))).toMatchObject({
      action: 'wait_for_messages',
      timesOutAt: atMinute(70),
    })
    expect(chat(decided, atMinute(70))).toMatchObject({ action: 'exit', reason: 'timeout' })
    expect(chat(decided, atMinute(70), active({ lastAnswerAt: atMinute(61) }))).toMatchObject({
      timesOutAt: atMinute(71),
    })
  })

  test('[NA9] a summary says through which message', () => {
    expect(chat(summary)).toMatchObject({ throughSeq: 17 })
    expect(chat(summary).instruction).toContain('through_seq: 17')
  })
})

describe('[NA11] what an agent on a task does next', () => {
  const all = { ...approval, resumes: true, taskId: 'task_p1_code_001' }

  test.each<Row>([
    [
      '[NA11] an undecided approval comes first',
      task(all),
      'wait_for_approval',
      'approval_pending',
    ],
    [
      '[NA11] then resumed work is handed over',
      task({ ...all, approvalId: null }),
      'resume_work',
      'task_resuming',
    ],
    [
      '[NA11] then the task in progress',
      task({ taskId: 'task_p1_code_001' }),
      'work_on_task',
      'task_ready',
    ],
    ['[NA11] then nothing is left', task({}), 'exit', 'task_done'],
    [
      '[NA11] there is no soft timeout',
      task({ taskId: 'task_p1_code_001' }, atMinute(6000)),
      'work_on_task',
      'task_ready',
    ],
  ])('%s', (_title, answer, action, state) => {
    expect(answer).toMatchObject({ action, state })
  })

  test('[NA11] the task is named, and with no task left the session ends as work_done', () => {
    expect(task({ taskId: 'task_p1_code_001' })).toMatchObject({ taskId: 'task_p1_code_001' })
    expect(task({})).toMatchObject({ reason: 'work_done', ends: 'work_done' })
  })
})

describe('an exit that was lost on the way', () => {
  test.each<[EndReason, { reason: string; state: string }]>([
    ['closed', { reason: 'session_closed', state: 'session_closed' }],
    ['timeout', { reason: 'timeout', state: 'chat_timeout' }],
    ['work_done', { reason: 'work_done', state: 'task_done' }],
    ['logout', { reason: 'logout', state: 'session_closed' }],
    ['process_exited', { reason: 'process_exited', state: 'session_closed' }],
    ['orphaned', { reason: 'orphaned', state: 'session_closed' }],
    ['expired', { reason: 'expired', state: 'session_closed' }],
    ['coordinator_lost', { reason: 'coordinator_lost', state: 'session_closed' }],
    ['revoked', { reason: 'revoked', state: 'session_closed' }],
  ])(
    '[AS8] is had again after an end by %s, with the reason, and ends nothing twice',
    (endReason, expected) => {
      expect(chat(unread, atMinute(1), ended(endReason))).toMatchObject({
        action: 'exit',
        ends: null,
        ...expected,
      })
    },
  )
})

describe('[NA3] a held call', () => {
  const waiting = chat({}, start)

  test.each<[string, number, number, number | undefined]>([
    ['[NA12] is held as long as was asked for', 20, 50, 20],
    ['[NA12] is held no longer than the client can bear', 600, 50, 50],
    ['[NA3] is answered at once when no wait was asked for', 0, 50, undefined],
    ['[NA4] is answered when the soft timeout comes, and not after it', 3600, 3600, 600],
  ])('%s', (_title, requested, holdSeconds, held) => {
    const until = heldUntil(start, waiting, requested, { ...patience, holdSeconds })
    expect(until).toBe(held === undefined ? undefined : later(start, held * 1000))
  })

  test('[NA3] waits for an approval too, without a timeout', () => {
    expect(heldUntil(atMinute(600), chat(approval, atMinute(600)), 30, patience)).toBe(
      later(atMinute(600), 30_000),
    )
  })

  test('[NA12] is not held while there is something to do', () => {
    const busy = [
      chat(unread),
      chat(summary),
      task({ resumes: true }),
      task({ taskId: 't' }),
      task({}),
    ]
    expect(busy.map((next) => heldUntil(start, next, 50, patience))).toEqual(
      busy.map(() => undefined),
    )
  })
})

describe('every answer', () => {
  const agentSessions = fc.constantFrom<AgentSession>(
    active(),
    active({ lastAnswerAt: atMinute(3) }),
    terminating(atMinute(2)),
    ended('timeout'),
    ended('revoked'),
  )
  const chats: fc.Arbitrary<ChatFacts> = fc.record({
    purpose: fc.constant('chat'),
    undelivered: fc.nat(3),
    unanswered: fc.nat(3),
    summaryDue: fc.option(
      fc.record({ conversationKey: fc.constant('web:p.a'), throughSeq: fc.nat(9) }),
      { nil: null },
    ),
    yieldsConversation: fc.boolean(),
    waitsForFolder: fc.boolean(),
    approvalId: fc.option(fc.nat(9), { nil: null }),
    approvalDecidedAt: fc.option(fc.integer({ min: 0, max: 100 }).map(atMinute), { nil: null }),
  })
  const tasks: fc.Arbitrary<TaskFacts> = fc.record({
    purpose: fc.constant('task'),
    approvalId: fc.option(fc.nat(9), { nil: null }),
    resumes: fc.boolean(),
    taskId: fc.option(fc.constant('task_p1_code_001'), { nil: null }),
  })
  const anyTime = fc.integer({ min: 0, max: 100 }).map(atMinute)

  /** NA1, word for word. */
  const actionsOf = {
    chat: [
      'get_pending_messages',
      'wait_for_messages',
      'summarize_conversation',
      'wait_for_approval',
      'exit',
    ],
    task: ['work_on_task', 'wait_for_approval', 'resume_work', 'exit'],
  }

  property.prop([agentSessions, fc.oneof(chats, tasks), anyTime])(
    '[NA1] is one of its purpose, with a sentence to follow',
    (agentSession, facts, now) => {
      const answer = nextAction(now, agentSession, facts, patience)
      expect(actionsOf[facts.purpose]).toContain(answer.action)
      expect(answer.instruction).toMatch(/^[A-Z1-9].{20,}\.$/s)
      expect(answer.instruction).toContain(
        answer.action === 'exit' ? 'exit now' : 'get_next_action',
      )
    },
  )

  property.prop([chats, anyTime])(
    '[NA2] never lets a live chat time out past a message that waits',
    (facts, now) => {
      const answer = nextAction(now, active(), facts, patience)
      if (answer.action === 'exit') expect(facts.undelivered + facts.unanswered).toBe(0)
    },
  )

  property.prop([agentSessions, fc.oneof(chats, tasks), anyTime])(
    '[NA4] ends the session in the same call exactly when it is the first exit',
    (agentSession, facts, now) => {
      const answer = nextAction(now, agentSession, facts, patience)
      if (answer.action === 'exit')
        expect(answer.ends === null).toBe(agentSession.state === 'ended')
    },
  )
})

test('[NA1] whoever signs in is told how to go on', () => {
  for (const purpose of ['chat', 'task'] as const)
    expect(afterAuthentication(purpose)).toContain('get_next_action')
})
