/**
 * Random interleavings of people who write, sessions that fetch, answer, repeat themselves and die,
 * held against the simplest account of what must come out: every visible message is answered once,
 * and only by a session that was handed it.
 */
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { priorities, rankOf } from '../../../src/domain/conversations/messages.ts'
import type { AgentCaller } from '../../../src/store/conversations/unread.ts'
import type { Room } from './chat-room.ts'

type Step =
  | { readonly do: 'write'; readonly priority: (typeof priorities)[number] }
  | { readonly do: 'fetch' | 'die' }
  | { readonly do: 'answer'; readonly empty: boolean; readonly repeat: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      priority: fc.constantFrom(...priorities),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'fetch' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      empty: fc.boolean(),
      repeat: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'die' as const }) },
)

/** What is true, kept by hand. */
class Account {
  readonly unread = new Map<string, { readonly rank: number; readonly seq: number }>()
  readonly answered = new Set<string>()
  delivered = new Set<string>()

  inOrder(): string[] {
    const all = [...this.unread].sort(([, a], [, b]) => b.rank - a.rank || a.seq - b.seq)
    return all.map(([id]) => id)
  }
}

export async function play(room: Room, steps: readonly Step[]): Promise<void> {
  const account = new Account()
  let agentSession: AgentCaller = await room.begin()
  let calls = 0

  const fetch = async () => {
    const { messages } = await room.handOver(agentSession)
    expect(messages.map(({ id }) => id)).toEqual(account.inOrder())
    account.delivered = new Set(account.unread.keys())
  }
  const answer = async (empty: boolean, repeat: boolean) => {
    const clientId = `c${calls++}`
    const content = empty ? '' : 'an answer'
    const { answered } = await room.answer(agentSession, content, clientId)
    expect(new Set(answered)).toEqual(account.delivered)
    for (const id of answered) {
      expect(account.answered.has(id), 'answered twice').toBe(false)
      account.answered.add(id)
      account.unread.delete(id)
    }
    account.delivered = new Set()
    if (repeat)
      expect((await room.answer(agentSession, content, clientId)).answered).toEqual(answered)
  }

  for (const each of steps) {
    if (each.do === 'write') {
      const { id, seq } = await room.say('x', { priority: each.priority })
      account.unread.set(id, { rank: rankOf(each.priority), seq })
    } else if (each.do === 'fetch') await fetch()
    else if (each.do === 'answer') await answer(each.empty, each.repeat)
    else {
      await room.end(agentSession)
      agentSession = await room.begin()
      account.delivered = new Set()
    }
  }
  await fetch()
  await answer(false, false)
  expect(account.unread.size, 'lost').toBe(0)
  expect((await room.handOver(agentSession)).messages).toEqual([])
}

export const steps = fc.array(step, { maxLength: 25 })

/**
 * People who keep writing while sessions fetch, answer and die, all at once; answers what was
 * written and what was answered.
 */
export async function playAtOnce(
  room: Room,
  { people, messages }: { people: number; messages: number },
) {
  const written: string[] = []
  const answered: string[] = []
  let done = false
  const person = async (_: unknown, index: number) => {
    for (let n = 0; n < messages; n++)
      written.push((await room.say(`${n}`, { by: `per_${index}` })).id)
  }
  const writing = Promise.all(Array.from({ length: people }, person)).then(() => {
    done = true
  })
  for (let agentSession = await room.begin(), turn = 0; ; turn++) {
    const wasDone = done
    const { messages: handed } = await room.handOver(agentSession)
    if (wasDone && handed.length === 0) break
    if (turn % 3 === 2) {
      await room.end(agentSession)
      agentSession = await room.begin()
    } else answered.push(...(await room.answer(agentSession, '')).answered)
  }
  await writing
  return { written: written.sort(), answered: answered.sort() }
}
