/** The rows of Now (UI9): one for each session, in the first group that applies. */
import { expect, test } from 'vitest'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { countWaiting } from '../../../web/src/approvals/waiting.ts'
import { nowGroups, rowsOfNow, shownRows } from '../../../web/src/now/now-rows.ts'

const talk = (key: string, more: Partial<ListedConversation>): ListedConversation =>
  ({
    key,
    kind: 'session',
    projectId: 'proj_1',
    agentId: 'ada',
    activity: 'idle',
    unread: false,
    settled: false,
    archived: false,
    updated: '2026-01-01T00:00:00.000Z',
    lastMessage: { seq: 3, createdAt: `2026-01-01T00:00:0${key.length % 10}.000Z` },
    ...more,
  }) as ListedConversation

const asked = (id: number, turnId: string | undefined, more: Partial<Approval> = {}): Approval =>
  ({
    id,
    projectId: 'proj_1',
    leaderId: 'ada',
    status: 'pending',
    held: null,
    submittedAt: `2026-01-01T00:00:0${id}.000Z`,
    permission: turnId === undefined ? null : { messageId: turnId },
    question: null,
    ...more,
  }) as Approval

const doing = (turnId: string) => ({ turnId, since: '', step: null, tool: null })
const nothing = { approvals: [], recent: [], live: [], interrupted: [], others: [] }
const idsOf = (known: Partial<Parameters<typeof rowsOfNow>[0]>) => {
  const rows = rowsOfNow({ ...nothing, under: undefined, ...known })
  return Object.fromEntries(nowGroups.map((group) => [group, rows[group].map(({ id }) => id)]))
}

test('[UI9] each session stands once, in the first group that applies', () => {
  const recent = [
    talk('asks', { activity: 'waiting', unread: true }),
    talk('broke', { activity: 'failed', unread: true }),
    talk('cut', { activity: 'interrupted' }),
    talk('done', { unread: true }),
    talk('runs', { activity: 'working', unread: true }),
    talk('limit', { activity: 'limited' }),
    talk('folder', { activity: 'waiting', waitsFor: 'checkout' }),
    talk('idle', {}),
    talk('ended', { activity: 'ended' }),
    talk('settled', { activity: 'failed', settled: true }),
    talk('cleared', { unread: true, settled: true }),
    talk('archived', { activity: 'failed', archived: true }),
    talk('among agents', { kind: 'agent', activity: 'working' }),
  ]
  const live = [talk('asks', { activity: 'waiting', doing: doing('t1') })]
  const rows = idsOf({ recent, live, approvals: [asked(1, 't1')] })
  expect(rows).toEqual({
    waiting: ['t1'],
    failed: ['broke', 'cut'],
    finished: ['done'],
    working: ['folder', 'limit', 'runs'],
  })
})

test('[UI26] what is read beside the list keeps its row while the cursor is on it', () => {
  const recent = [talk('read', {}), talk('other', {})]
  expect(idsOf({ recent, under: 'read' })['finished']).toEqual(['read'])
  expect(idsOf({ recent })['finished']).toEqual([])
})

test('[UI9] approvals of one session are one row, oldest first, and one number', () => {
  const approvals = [asked(1, 't1'), asked(2, undefined), asked(3, 't1'), asked(4, 't2')]
  expect(idsOf({ approvals })['waiting']).toEqual(['t1', 'approval-2', 't2'])
  expect(countWaiting(approvals)).toBe(3)
  const held = { by: 'me', until: '', status: 'approved' as const }
  expect(countWaiting([asked(1, 't1', { held }), asked(4, 't2')])).toBe(1)
  expect(idsOf({ approvals: [asked(1, 't1', { held })] })['waiting']).toEqual(['t1'])
  expect(countWaiting([asked(1, 't1', { ofOther: true })])).toBe(0)
})

test('[UI9] what was decided elsewhere stays while the cursor is on it', () => {
  const approvals = [asked(1, 't1', { status: 'approved' })]
  expect(idsOf({ approvals })['waiting']).toEqual([])
  expect(idsOf({ approvals, under: 't1' })['waiting']).toEqual(['t1'])
})

test('[UI9] groups are cut evenly, and nothing is cut that fits', () => {
  const recent = Array.from({ length: 9 }, (_, at) => talk(`done-${at}`, { unread: true }))
  const failed = Array.from({ length: 3 }, (_, at) => talk(`bad-${at}`, { activity: 'failed' }))
  const rows = rowsOfNow({ ...nothing, under: undefined, recent: [...recent, ...failed] })
  expect(shownRows(rows, 13)).toEqual({ waiting: 0, failed: 3, finished: 9, working: 0 })
  expect(shownRows(rows, 6)).toEqual({ waiting: 0, failed: 3, finished: 3, working: 0 })
})
