/** What the console shows is made from the session's events alone (UI3). */
import { expect, test } from 'vitest'
import type { RelayEvent, RelaySnapshot } from '../../../src/client/relay-messages.ts'
import type { RelayEventBodies } from '../../../src/protocol/consoles/relay.ts'
import type { Turn } from '../../../src/protocol/consoles/user-session.ts'
import { asksSomething } from '../../../src/protocol/threads/thread-turn.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import {
  afterEvent,
  emptyConsole,
  fromSnapshot,
  type Pane,
  runningTurn,
  withOlder,
} from '../../../web/src/consoles/console-state.ts'

const timestamp = '2026-03-01T09:00:00.000Z'
const role = 'auth'

/** A body under its type; the numbers do not matter here. */
const event = <Type extends keyof RelayEventBodies>(
  type: Type,
  body: RelayEventBodies[Type],
): RelayEvent => ({ type, sessionId: 'u', seq: 1, timestamp, ...body }) as unknown as RelayEvent

const content = [{ type: 'text', text: 'go' }] as const
const spawning = event('agent:spawning', {
  role,
  agentId: 'demo',
  workspace: 'auth',
  launchId: 'l',
  by: 'owner',
})
const details = {
  images: false,
  modes: [],
  modeId: null,
  options: [],
  note: null,
  notRestored: null,
}
const ready = event('agent:ready', {
  role,
  agentId: 'demo',
  conversation: 'console:u.auth',
  workspace: '/w',
  branch: 'b',
  how: 'new',
  ...details,
})
const prompted = (messageId: string) =>
  event('agent:prompted', { role, messageId, content, by: 'owner' })
const queued = (messageId: string, position: number) =>
  event('agent:queued', { role, messageId, position, content, by: 'owner' })
const update = (messageId: string, update: RelayEventBodies['agent:update']['update']) =>
  event('agent:update', { messageId, update, role })
const response = (messageId: string, text: string, stopReason = 'end_turn') =>
  event('agent:response', {
    role,
    messageId,
    content: text,
    cut: false,
    stopReason,
    error: null,
    usage: null,
  })
const tool = (status: ToolCall['status']): ToolCall => ({
  toolCallId: 'c',
  title: 'Write',
  toolKind: 'edit',
  status,
  input: null,
  locations: [],
  content: [],
  cut: false,
})

const seen = (...events: RelayEvent[]) => events.reduce(afterEvent, emptyConsole)
const only = (...events: RelayEvent[]): Pane => seen(spawning, ready, ...events).panes[0] as Pane
const itemsOf = (pane: Pane) =>
  pane.entries.flatMap((entry) => (entry.kind === 'turn' ? entry.items : []))

test('[UI3] pieces grow together; thoughts and tools part them; tool and plan change', () => {
  const entries = [{ content: 'x', priority: 'high', status: 'pending' } as const]
  const pane = only(
    prompted('m'),
    update('m', { kind: 'thought', text: 'hm' }),
    update('m', { kind: 'text', text: 'a' }),
    update('m', { kind: 'text', text: 'b' }),
    update('m', { kind: 'tool', call: tool('in_progress') }),
    update('m', { kind: 'plan', entries: [] }),
    update('m', { kind: 'text', text: 'c' }),
    update('m', { kind: 'tool', call: tool('completed') }),
    update('m', { kind: 'plan', entries }),
  )
  expect(itemsOf(pane)).toEqual([
    { kind: 'thought', text: 'hm' },
    { kind: 'text', text: 'ab' },
    { kind: 'tool', call: tool('completed') },
    { kind: 'plan', entries },
    { kind: 'text', text: 'c' },
  ])
  expect(runningTurn(pane)?.id).toBe('m')
  expect(
    runningTurn(seen(spawning, ready, prompted('m'), response('m', 'abc')).panes[0] as Pane),
  ).toBeUndefined()
})

test('[UI3] what waits stands in order, moves up, and leaves by turn or withdrawal', () => {
  const waiting = (...events: RelayEvent[]) =>
    only(prompted('1'), queued('2', 1), queued('3', 2), queued('4', 3), ...events).agent?.queue.map(
      ({ messageId, position }) => `${position} ${messageId}`,
    )
  expect(waiting()).toEqual(['1 2', '2 3', '3 4'])
  expect(
    waiting(event('agent:withdrawn', { role, messageId: '3', reason: 'user requested' })),
  ).toEqual(['1 2', '2 4'])
  expect(waiting(response('1', ''), prompted('2'))).toEqual(['1 3', '2 4'])
})

test('[UI3] a permission waits until it is answered anywhere, then says how and by whom', () => {
  const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' as const }]
  const request = {
    approvalId: 7,
    messageId: 'm',
    title: 'Write',
    call: tool('pending'),
    options,
    likeness: null,
    deadline: timestamp,
  }
  const asked = [prompted('m'), event('permission:requested', { role, ...request })]
  expect(asksSomething(runningTurn(only(...asked)))).toBe(true)
  const answer = {
    role,
    approvalId: 7,
    outcome: 'allowed',
    optionId: 'y',
    decidedBy: 'owner',
  } as const
  const pane = only(...asked, event('permission:resolved', answer))
  expect(asksSomething(runningTurn(pane))).toBe(false)
  expect(itemsOf(pane)).toMatchObject([{ permission: { outcome: 'allowed', decidedBy: 'owner' } }])
})

test('[AG1] a failed agent leaves its turn unknown; the next one takes the role', () => {
  const failure = {
    role,
    step: 'running',
    error: 'gone',
    exitCode: 1,
    signal: null,
    messageId: 'm',
  } as const
  const failed = only(prompted('m'), event('agent:failed', failure))
  expect(failed.agent).toMatchObject({ state: 'FAILED', error: 'gone', exitCode: 1 })
  expect(failed.entries.find(({ kind }) => kind === 'turn')).toMatchObject({ state: 'unknown' })
  const ended = event('agent:terminated', { role, reason: 'replaced' })
  const again = only(prompted('m'), event('agent:failed', failure), ended, spawning, ready)
  expect(again.agent).toMatchObject({ state: 'ACTIVE', error: null })
  expect(again.entries.map(({ kind }) => kind)).toEqual([
    'started',
    'turn',
    'failed',
    'ended',
    'started',
  ])
})

const turn = (messageId: string, seq: number, more: Partial<Turn> = {}): Turn => ({
  messageId,
  seq,
  role,
  state: 'answered',
  content: [...content],
  text: `text of ${messageId}`,
  cut: false,
  stopReason: 'end_turn',
  error: null,
  usage: null,
  limitedUntil: null,
  by: 'owner',
  createdAt: timestamp,
  startedAt: timestamp,
  endedAt: timestamp,
  ...more,
})

test('[RL4] a snapshot begins anew with what was said; older turns come before it', () => {
  const running = turn('3', 0, { state: 'running', text: 'so f' })
  const agent = {
    role,
    agentId: 'demo',
    state: 'ACTIVE',
    turn: running,
    permissions: [],
    queue: [],
    modes: [],
    modeId: null,
  }
  const snapshot = {
    projectId: 'p',
    state: 'ACTIVE',
    agents: [agent],
    turns: [turn('2', 20)],
  } as unknown as RelaySnapshot
  const picture = afterEvent(fromSnapshot(snapshot), update('3', { kind: 'text', text: 'ar' }))
  const older = withOlder(
    picture,
    [running, turn('2', 20), turn('1', 10), turn('0', 5, { role: 'gone' })],
    false,
  )
  const said = older.panes.map((pane) => [
    pane.role,
    itemsOf(pane).map((item) => (item.kind === 'text' ? item.text : '')),
  ])
  expect(said).toEqual([
    ['auth', ['text of 1', 'text of 2', 'so far']],
    ['gone', ['text of 0']],
  ])
  expect([picture.cut, older.cut]).toEqual([true, false])
})
