import { describe, expect, test } from 'vitest'
import { priorities, rankOf } from '../../../src/domain/conversation/priority.ts'
import { answeredBy, handedOverAtOnce, handOver, type UnreadMessage, unreadFor } from '../../../src/domain/conversation/unread.ts'
import { later } from '../../../src/domain/instant.ts'
import { fc, property } from '../../support/property.ts'

const start = '2026-03-01T09:00:00.000Z'
const message = (seq: number, given: Partial<UnreadMessage> = {}): UnreadMessage => ({
  conversationKey: 'web:p.ada',
  seq,
  priority: 'normal',
  createdAt: later(start, seq),
  deliveredTo: null,
  ...given,
})
const seqs = (unread: readonly UnreadMessage[], agentSessionId = 'lease'): number[] | undefined =>
  handOver(unread, agentSessionId)?.messages.map(({ seq }) => seq)

describe('who has to read a message', () => {
  const agents = ['ada', 'bob', 'eve']
  test.each<[string, string, string | null, string[]]>([
    ['the one it is addressed to', 'owner', 'bob', ['bob']],
    ['all of them when it is addressed to all', 'owner', null, agents],
    ['never the one who wrote it', 'bob', null, ['ada', 'eve']],
    ['nobody who is not there', 'owner', 'zoe', []],
  ])('[CH6] %s', (_title, senderId, receiverId, expected) => {
    expect(unreadFor({ senderId, receiverId, visible: true }, agents)).toEqual(expected)
  })

  test('[CH2] nobody when it is hidden, addressed or not', () => {
    expect(unreadFor({ senderId: 'system', receiverId: null, visible: false }, agents)).toEqual([])
    expect(unreadFor({ senderId: 'system', receiverId: 'ada', visible: false }, agents)).toEqual([])
  })
})

describe('handing messages over', () => {
  test('[CH6] there are four priorities, in this order', () => {
    expect(priorities).toEqual(['low', 'normal', 'high', 'urgent'])
    expect(priorities.map(rankOf)).toEqual([0, 1, 2, 3])
  })

  test('[NA7] highest priority first, then oldest first', () => {
    const unread = [
      message(1, { priority: 'low' }),
      message(2),
      message(3, { priority: 'urgent' }),
      message(4, { priority: 'high' }),
      message(5, { priority: 'urgent' }),
      message(6),
    ]
    expect(seqs(unread)).toEqual([3, 5, 4, 2, 6, 1])
    expect(seqs(unread.toReversed())).toEqual([3, 5, 4, 2, 6, 1])
  })

  test('[NA7] the number orders a conversation, whatever the clock said', () => {
    expect(seqs([message(2, { createdAt: start }), message(1, { createdAt: later(start, 9) })])).toEqual([1, 2])
  })

  test('[NA7] with none unread nothing is handed over', () => {
    expect(handOver([], 'lease')).toBeUndefined()
  })

  test('[CV10] one conversation at a time, so that an answer goes to where the question came from', () => {
    const ours = message(7, { createdAt: later(start, 5) })
    const theirs = message(1, { conversationKey: 'agent:ada~bob', createdAt: later(start, 4) })
    expect(handOver([ours, theirs], 'lease')).toEqual({ conversationKey: 'agent:ada~bob', messages: [theirs] })
    const urgent = { ...ours, priority: 'urgent' } as const
    expect(handOver([urgent, theirs], 'lease')).toEqual({ conversationKey: 'web:p.ada', messages: [urgent] })
  })

  test('[AS8] what was handed over and not answered comes again, with what is new, before anything else', () => {
    const held = message(1, { deliveredTo: 'lease' })
    const elsewhere = message(1, { conversationKey: 'agent:ada~bob', priority: 'urgent' })
    expect(handOver([elsewhere, held, message(2)], 'lease')).toEqual({
      conversationKey: 'web:p.ada',
      messages: [held, message(2)],
    })
  })

  test('[NA7] the next session gets what the one before it left unanswered', () => {
    expect(seqs([message(1, { deliveredTo: 'dead' }), message(2)], 'lease')).toEqual([1, 2])
  })

  test('[NA7] a mountain of messages comes in portions', () => {
    const unread = Array.from({ length: handedOverAtOnce + 3 }, (_, index) => message(index + 1))
    expect(seqs(unread)).toHaveLength(handedOverAtOnce)
  })
})

describe('answering', () => {
  test('[NA7] exactly the delivered ones become read; what arrived in between stays unread', () => {
    const delivered = message(1, { deliveredTo: 'lease' })
    const unread = [delivered, message(2), message(3, { deliveredTo: 'another' })]
    expect(answeredBy(unread, 'lease')).toEqual([delivered])
  })

  type Step = 'message' | 'get' | 'respond' | 'die'
  const steps = fc.array(fc.constantFrom<Step>('message', 'message', 'get', 'respond', 'die'), { maxLength: 60, size: 'max' })
  const anyPriority = fc.constantFrom(...priorities)
  const anyKey = fc.constantFrom('web:p.ada', 'agent:ada~bob')

  property.prop([steps, fc.infiniteStream(anyPriority), fc.infiniteStream(anyKey)], { numRuns: 500 })(
    '[NA7] in any order of messages, deliveries, answers and deaths, every message is answered by a session that was handed it, once',
    (happenings, priorityOf, keyOf) => {
      let unread: UnreadMessage[] = []
      let written = 0
      let life = 1
      let seen = new Set<number>()
      const read: number[] = []
      const get = (): void => {
        const handed = handOver(unread, `lease-${life}`)?.messages ?? []
        for (const { seq } of handed) seen.add(seq)
        unread = unread.map((each) => (handed.includes(each) ? { ...each, deliveredTo: `lease-${life}` } : each))
      }
      const respond = (): void => {
        const answered = answeredBy(unread, `lease-${life}`)
        for (const { seq } of answered) expect(seen).toContain(seq)
        expect(new Set(answered.map(({ conversationKey }) => conversationKey)).size).toBeLessThanOrEqual(1)
        read.push(...answered.map(({ seq }) => seq))
        unread = unread.filter((each) => !answered.includes(each))
      }
      for (const step of happenings) {
        if (step === 'message')
          unread.push(message(++written, { priority: priorityOf.next().value, conversationKey: keyOf.next().value }))
        if (step === 'get') get()
        if (step === 'respond') respond()
        if (step === 'die') {
          life++
          seen = new Set()
        }
        expect(unread.length + read.length).toBe(written)
      }
      while (unread.length > 0) {
        get()
        respond()
      }
      expect(read.toSorted((a, b) => a - b)).toEqual(Array.from({ length: written }, (_, index) => index + 1))
    },
  )
})
