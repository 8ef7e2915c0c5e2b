/**
 * Lives of threads: a chat or a role on a real server, with a machine that the test plays. Each
 * step is one that may come then; after each, who follows the events must know what a fresh
 * snapshot says.
 */
import { expect } from 'vitest'
import type { StreamName } from '../../src/domain/stream-name.ts'
import type { HoldfastEvent } from '../../src/protocol/events.ts'
import { follow } from '../../src/protocol/threads/fold.ts'
import { noOffers } from '../../src/protocol/threads/offers.ts'
import {
  type Thread,
  type ThreadState,
  threadMessages,
  threadTurns,
} from '../../src/protocol/threads/thread-state.ts'
import type { ThreadTurn } from '../../src/protocol/threads/thread-turn.ts'
import type { AgentUpdate, ToolCall } from '../../src/protocol/turns/agent-update.ts'
import { readThread } from '../../src/services/system/read-thread.ts'
import type { Store } from '../../src/store/store.ts'
import { exited, started } from '../services/processes/launch-pad.ts'
import { openAcpChat } from './acp-chat.ts'
import { fc } from './property.ts'
import {
  asks,
  type Machine,
  nothingOffered,
  question,
  questions,
  readyAgent,
  turnEnded,
  update,
} from './relay.ts'
import type { TestServer } from './server.ts'

export type Step =
  | { readonly does: (typeof simple)[number] }
  | { readonly does: 'end'; readonly outcome: 'answered' | 'failed' | 'cancelled' }
  | { readonly does: 'tell'; readonly updates: readonly AgentUpdate[] }

const words = fc.constantFrom('so', ' ', 'far\n', 'good ')
const call = (toolCallId: string, status: ToolCall['status']): ToolCall => ({
  ...question().call,
  toolCallId,
  status,
})
const piece: fc.Arbitrary<AgentUpdate> = fc.oneof(
  words.map((text): AgentUpdate => ({ kind: 'text', text })),
  words.map((text): AgentUpdate => ({ kind: 'thought', text })),
  fc.tuple(fc.constantFrom('call 1', 'b'), fc.constantFrom('pending', 'completed', 'failed')).map(
    ([id, status]): AgentUpdate => ({
      kind: 'tool',
      call: call(id, status as ToolCall['status']),
    }),
  ),
  words.map(
    (content): AgentUpdate => ({
      kind: 'plan',
      entries: [{ content, priority: 'low', status: 'pending' }],
    }),
  ),
)
const simple = [
  'say',
  'say',
  'withdraw',
  'order',
  'ask',
  'ask',
  'question',
  'decide',
  'hold',
  'take back',
  'kill',
  'stop',
  'offer',
  'refuse',
  'wait',
] as const
const soFar = { kind: 'text', text: 'so far' } as const

/** Asked, decided, stopped, failed, killed and begun again. */
export const ordinaryLife: readonly Step[] = [
  { does: 'say' },
  { does: 'tell', updates: [soFar] },
  { does: 'ask' },
  { does: 'tell', updates: [soFar] },
  { does: 'hold' },
  { does: 'take back' },
  { does: 'decide' },
  { does: 'question' },
  { does: 'say' },
  { does: 'end', outcome: 'answered' },
  { does: 'say' },
  { does: 'ask' },
  { does: 'end', outcome: 'failed' },
  { does: 'say' },
  { does: 'tell', updates: [soFar] },
  { does: 'stop' },
  { does: 'end', outcome: 'cancelled' },
  { does: 'say' },
  { does: 'tell', updates: [soFar] },
  { does: 'kill' },
  { does: 'say' },
  { does: 'withdraw' },
]

export const lives: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...simple).map((does) => ({ does }) as Step) },
    {
      weight: 3,
      arbitrary: fc
        .array(piece, { minLength: 1, maxLength: 4 })
        .map((updates): Step => ({ does: 'tell', updates })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('answered', 'failed', 'cancelled')
        .map((outcome): Step => ({ does: 'end', outcome: outcome as 'answered' })),
    },
  ),
  { minLength: 5, maxLength: 25 },
)

/** Follows a thread by its events alone; begins anew where it learns that it has to. */
class Follower {
  #thread: Thread | undefined
  /** How often it had to read the snapshot. */
  snapshots = 0
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** What it knows when it has followed as far as the snapshot goes. */
  async upTo(fresh: Thread): Promise<ThreadState> {
    let thread = this.#thread ?? this.#anew(fresh)
    for (const [name, head] of Object.entries(fresh.heads)) {
      const stream = name as StreamName
      const from = thread.heads[name] ?? head
      for (const stored of await this.#store.eventsAfter(stream, from, 10_000)) {
        const { seq, at, type, data } = stored
        if (seq > head || data === null) continue
        thread = follow(thread, { stream, seq, at, type, data: JSON.parse(data) } as HoldfastEvent)
      }
    }
    this.#thread = thread.state.isStale ? this.#anew(fresh) : thread
    return this.#thread.state
  }

  #anew(fresh: Thread): Thread {
    this.snapshots++
    return JSON.parse(JSON.stringify(fresh))
  }
}

/**
 * Without what no event tells: what a turn was primed with and changed in files, what a chat's
 * agent can be set to; and without how much is known of the past.
 */
const comparable = (state: ThreadState): object => ({
  ...state,
  messages: state.messages.slice(-threadMessages),
  older: undefined,
  turns: state.turns.slice(-threadTurns).map(comparableTurn),
  earlierTurns: null,
  remarks: [],
  handedOver: [...state.handedOver].sort((a, b) => a - b),
  offers: { ...noOffers, commands: state.offers.commands },
})

function comparableTurn({ textChars, otherChars, ...turn }: ThreadTurn): object {
  const room = turn.state === 'running' ? { textChars, otherChars } : {}
  return JSON.parse(JSON.stringify({ ...turn, ...room, primer: null, files: null }))
}

interface RunningHere {
  readonly launchId: string
  readonly turnId: string
  readonly contextId: string
}

/** Somebody else who follows the same chat; compares what it knows after each step. */
export type Watch = (
  server: TestServer,
  key: string,
) => Promise<(trail: string, isLast: boolean) => Promise<void>>

/** Lives such a life in the chat of an agent; how much of each was seen. */
export async function liveInChat(
  steps: readonly Step[],
  watch?: Watch,
): Promise<readonly string[]> {
  const { server, machine, room, say, clock } = await openAcpChat()
  const key = `web:${room.projectId}.coder`
  const compareToo = await watch?.(server, key)
  const quick = new Follower(server.store)
  const slow = new Follower(server.store)
  const seen: string[] = []
  let running: RunningHere | undefined
  let asked = 0
  /** An agent refuses a prompt before it does anything else. */
  let hasDone = false

  const compare = async (isLast: boolean): Promise<void> => {
    const fresh = await server.store.query(readThread, { key })
    const state = JSON.parse(JSON.stringify(fresh.state))
    const trail = seen.join(' ')
    expect(comparable(await quick.upTo(fresh)), trail).toEqual(comparable(state))
    if (isLast || asked % 3 === 0)
      expect(comparable(await slow.upTo(fresh)), `slow: ${trail}`).toEqual(comparable(state))
    await compareToo?.(trail, isLast)
  }

  for (const [n, step] of steps.entries()) {
    clock.advance(1)
    const done = await take(step)
    seen.push(done)
    await compare(n === steps.length - 1)
  }
  return seen

  async function take(step: Step): Promise<string> {
    if (step.does === 'say') {
      await say(`message ${seen.length}`)
      if (running) return 'say-meanwhile'
      running = await nextTurn(machine)
      hasDone = false
      return 'say'
    }
    if (step.does === 'withdraw') {
      const { items } = (await server.ask(`/api/projects/${room.projectId}/agents/coder/messages`))
        .json
      const last = items.find(({ role }: { role: string }) => role === 'user')
      if (!last) return '-'
      const path = `/api/conversations/${key}/messages/${last.seq}/withdraw`
      return (await server.ask(path, { method: 'POST' })).status < 300 ? 'withdraw' : '-'
    }
    if (step.does === 'order') {
      const [last, ...others] = (await server.store.query(readThread, { key })).state.waiting
        .map(({ seq }) => seq)
        .reverse()
      if (last === undefined) return '-'
      const path = `/api/conversations/${key}/messages/${last}/move`
      const body = { before: others.at(-1) ?? null }
      return (await server.ask(path, { method: 'POST', body })).status < 300 ? 'order' : '-'
    }
    if (!running) return '-'
    const { launchId, turnId } = running
    if (step.does === 'refuse' && hasDone) return '-'
    hasDone ||= step.does !== 'wait'
    switch (step.does) {
      case 'tell':
        await machine.tell(...step.updates.map((each) => update(launchId, turnId, each)))
        return 'tell'
      case 'ask':
        await machine.tell(asks(launchId, turnId, `ask ${++asked}`))
        return 'ask'
      case 'question':
        await machine.tell(questions(launchId, turnId, `ask ${++asked}`))
        return 'question'
      case 'decide':
        return decide()
      case 'hold':
        return decide(5)
      case 'take back':
        return takeBack()
      case 'stop':
        await server.ask(`/api/conversations/${key}/stop`, { method: 'POST' })
        return 'stop'
      case 'refuse':
        running = undefined
        await machine.tell(
          turnEnded(launchId, turnId, { outcome: 'failed', error: 'busy', notRun: 'refused' }),
        )
        return 'refuse'
      case 'offer': {
        const commands = [{ name: `review ${++asked}`, description: 'looks', hint: null }]
        const { contextId } = running
        const offered = { kind: 'commands', commands } as const
        await machine.tell({
          type: 'turn-update',
          launchId,
          turnId: null,
          contextId,
          update: offered,
        })
        return 'offer'
      }
      case 'end':
        running = undefined
        await machine.tell(turnEnded(launchId, turnId, { outcome: step.outcome }))
        return step.outcome
      case 'kill':
        running = undefined
        await machine.tell(exited(launchId, { signal: 'SIGKILL' }))
        return 'kill'
      default:
        return 'wait'
    }
  }

  async function takeBack(): Promise<string> {
    const path = `/api/projects/${room.projectId}/approvals`
    const { items } = (await server.ask(`${path}?status=pending`)).json
    const [one] = items
    if (!one) return '-'
    const taken = await server.ask(`${path}/${one.id}/decision`, { method: 'DELETE' })
    return taken.status < 300 ? 'take-back' : '-'
  }

  async function decide(hold?: number): Promise<string> {
    const path = `/api/projects/${room.projectId}/approvals`
    const { items } = (await server.ask(`${path}?status=pending`)).json
    const [one] = items
    if (!one) return '-'
    const body = { status: asked % 2 === 0 ? 'approved' : 'rejected', hold }
    const answer = await server.ask(`${path}/${one.id}/decision`, { method: 'POST', body })
    if (answer.status >= 300) return '-'
    return hold === undefined ? 'decide' : 'hold'
  }
}

/** The next turn that is ordered, in a process that is started for it where there is none. */
async function nextTurn(machine: Machine): Promise<RunningHere> {
  for (;;) {
    const { type, data } = await machine.orderOf(['launch-begun', 'turn-ordered'])
    if (type === 'turn-ordered') {
      const { launchId, turnId, context } = data
      if (context?.open) {
        const began = { launchId, turnId, contextId: context.contextId, acpSessionId: 'acp' }
        await machine.tell({
          type: 'turn-began',
          ...began,
          how: 'new',
          notRestored: null,
          ...nothingOffered,
        })
      }
      return { launchId, turnId, contextId: context.contextId }
    }
    const { launchId } = data
    await machine.tell(started(launchId), readyAgent(launchId))
  }
}
