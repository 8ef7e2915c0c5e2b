/** What came of a turn, folded piece by piece (protocol/threads/turn-items.ts). */
import { expect, test } from 'vitest'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { fold } from '../../../src/protocol/threads/fold.ts'
import { itemsOfStrand } from '../../../src/protocol/threads/strands.ts'
import { emptyThread } from '../../../src/protocol/threads/thread-state.ts'
import {
  answerIn,
  doingIn,
  type Item,
  type KeptItems,
  maxOtherChars,
  maxTurnItems,
  maxTurnText,
  noItems,
  textSinceTools,
  withUpdate,
} from '../../../src/protocol/threads/turn-items.ts'
import {
  AgentUpdate,
  maxTextPiece,
  type Strand,
  type ToolCall,
} from '../../../src/protocol/turns/agent-update.ts'
import { amount } from '../../support/extent.ts'
import { fc, property } from '../../support/property.ts'

const foldItems = (before: KeptItems, updates: readonly AgentUpdate[]): KeptItems =>
  updates.reduce(withUpdate, before)

const toolCall = (toolCallId: string, rest: Partial<ToolCall> = {}): ToolCall => ({
  toolCallId,
  title: 'Write',
  toolKind: 'edit',
  status: 'pending',
  input: null,
  locations: [],
  content: [],
  cut: false,
  ...rest,
})

const id = fc.constantFrom('a', 'b', 'c')
const words = fc.string({ maxLength: 20 })
const updates = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('text', 'thought'), text: words }),
    fc.record({
      kind: fc.constant('tool'),
      call: fc.tuple(id, words).map(([callId, title]) => toolCall(callId, { title })),
    }),
    fc.constant({ kind: 'plan', entries: [] }),
    words.map((content) => ({
      kind: 'plan',
      entries: [{ content, priority: 'high', status: 'pending' }],
    })),
    fc.record({
      kind: fc.constant('compaction'),
      compactionId: id,
      status: words,
      summary: fc.constant(null),
      error: fc.constant(null),
    }),
    fc.constant({ kind: 'media', media: 'image', mimeType: 'image/png', data: null }),
    fc.constant({ kind: 'mode', modeId: 'plan' }),
  ),
  { maxLength: 60 },
) as fc.Arbitrary<AgentUpdate[]>

property.prop([updates, fc.nat()], { numRuns: amount(300, 5000) })(
  '[TH1] a turn taken up in the middle becomes what it is to who saw all of it',
  (all, number) => {
    const middle = number % (all.length + 1)
    const taken = JSON.parse(JSON.stringify(foldItems(noItems, all.slice(0, middle))))
    const whole = foldItems(noItems, all)
    expect(foldItems(taken, all.slice(middle))).toEqual(whole)
    expect(all.every((update) => AgentUpdate.safeParse(update).success)).toBe(true)
  },
)

property.prop([updates], { numRuns: amount(300, 5000) })(
  '[TH1] each word is there once and in its order, each tool call and the plan once in its last state',
  (all) => {
    const { items } = foldItems(noItems, all)
    const said = all.map((update) => {
      if (update.kind === 'media') return '[image/png]'
      return update.kind === 'text' ? update.text : ''
    })
    expect(answerIn(items)).toBe(said.join(''))
    const calls = all.flatMap((update) => (update.kind === 'tool' ? [update.call] : []))
    const last = new Map(calls.map((call) => [call.toolCallId, call]))
    expect(items.flatMap((item) => (item.kind === 'tool' ? [item.call] : []))).toEqual([
      ...last.values(),
    ])
    const seen = new Set<string>()
    let sinceTools = 0
    for (const [index, update] of all.entries()) {
      if (update.kind !== 'tool' || seen.has(update.call.toolCallId)) continue
      seen.add(update.call.toolCallId)
      sinceTools = index
    }
    expect(textSinceTools(items)).toBe(said.slice(sinceTools).join(''))
    const plan = all.findLast(({ kind }) => kind === 'plan')
    expect(items.filter(({ kind }) => kind === 'plan')).toEqual(plan ? [plan] : [])
  },
)

test('[TH1] text is kept up to its bound and marked, whatever else fills the turn', () => {
  const thought: AgentUpdate = { kind: 'thought', text: 't'.repeat(maxTextPiece) }
  const text: AgentUpdate = { kind: 'text', text: 'w'.repeat(maxTextPiece) }
  const pieces = 300
  const both = Array.from({ length: pieces }, () => [thought, text]).flat()
  const kept = foldItems(noItems, both)
  expect(answerIn(kept.items)).toHaveLength(maxTurnText)
  expect(kept).toMatchObject({ cut: true, textChars: maxTurnText })
  expect(kept.otherChars).toBeLessThanOrEqual(maxOtherChars)
  const picture = { kind: 'media', media: 'image', mimeType: 'image/png' } as const
  const full = foldItems(noItems, [{ kind: 'thought', text: 'x'.repeat(maxOtherChars - 200) }])
  const shown = withUpdate(full, { ...picture, data: 'A'.repeat(1000) })
  expect(shown.items.at(-1)).toEqual({ ...picture, data: null })
})

test('[TH1] a call beyond the most items is left out; what was there changes, and text comes', () => {
  const calls = Array.from(
    { length: maxTurnItems + 10 },
    (_, n): AgentUpdate => ({ kind: 'tool', call: toolCall(`c${n}`) }),
  )
  const changed: AgentUpdate = { kind: 'tool', call: toolCall('c0', { status: 'completed' }) }
  const kept = foldItems(noItems, [
    ...calls,
    changed,
    { kind: 'text', text: 'so' },
    { kind: 'text', text: ' far' },
  ])
  expect(kept.items).toHaveLength(maxTurnItems + 1)
  expect(kept.items[0]).toEqual(changed)
  expect(kept.items.at(-1)).toEqual({ kind: 'text', text: 'so far' })
})

test('[TH2] an event that is about something else leaves the state the very object', () => {
  const at = '2026-03-01T09:00:00.000Z'
  const message = { seq: 1, visible: false } as Message
  expect(fold(emptyThread, { type: 'message-added', at, data: { message } })).toBe(emptyThread)
  const update = { kind: 'text', text: 'so' } as const
  const data = { messageId: 'of another', update, role: 'a' }
  expect(fold(emptyThread, { type: 'agent:update', at, data })).toBe(emptyThread)
})

const strand = (id: string, rest: Partial<Strand> = {}): AgentUpdate => ({
  kind: 'strand',
  strand: { id, callId: null, title: id, state: 'running', background: false, ...rest },
})

test('[AC16] what a sub-agent says is no answer, and stands in its row', () => {
  const { items } = foldItems(noItems, [
    { kind: 'text', text: 'I ask. ' },
    { kind: 'tool', call: toolCall('task') },
    strand('s', { callId: 'task' }),
    { kind: 'text', text: 'from ', strand: 's' },
    { kind: 'text', text: 'within', strand: 's' },
    { kind: 'tool', call: toolCall('inner', { parentId: 's' }) },
    { kind: 'text', text: 'Done.' },
    strand('s', { callId: 'task', state: 'done' }),
  ])
  expect(answerIn(items)).toBe('I ask. Done.')
  expect(itemsOfStrand(items).map(({ kind }) => kind)).toEqual(['text', 'strand', 'text'])
  expect(itemsOfStrand(items, 's')).toMatchObject([
    { text: 'from within' },
    { call: { toolCallId: 'inner' } },
  ])
  expect(doingIn(items)).toEqual({ step: 'text', tool: null })
  expect(doingIn([...items, strand('t') as Item])).toMatchObject({ subAgents: 1 })
})

test('[AC16] no item is hidden by a strand that is not there, or is its own', () => {
  const { items } = foldItems(noItems, [
    { kind: 'text', text: 'a', strand: 'gone' },
    strand('x', { parentId: 'y' }),
    strand('y', { parentId: 'x' }),
    strand('z', { parentId: 'z' }),
    { kind: 'tool', call: toolCall('c', { parentId: 'y' }) },
  ])
  const rows = itemsOfStrand(items)
  const within = rows.flatMap((row) =>
    row.kind === 'strand' ? itemsOfStrand(items, row.strand.id) : [],
  )
  expect(rows.length + within.length).toBe(items.length)
})
