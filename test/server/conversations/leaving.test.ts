/**
 * A turn belongs to nobody's window (NA5, CX6), by chance: panels are closed, opened and reloaded,
 * messages written, processes and the server killed while turns of 1 to 120 s run, on a clock that
 * the test turns. The test plays the machine and judges every order it gets.
 */

import { expect, onTestFinished, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { coordinatorStream } from '../../../src/domain/stream-name.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { LastSeen } from '../../../src/server/agent-sessions/agent-calls.ts'
import { type Chance, chance } from '../../faults/random.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { startChatWorkers } from '../../support/chat-workers.ts'
import { agentSessionLooks } from '../../support/due-work.ts'
import { amount } from '../../support/extent.ts'
import {
  type Machine,
  openConsole,
  playMachine,
  readyAgent,
  said,
  turnEnded,
} from '../../support/relay.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const stepMs = 5000
const second = 1000

interface Process {
  /** The running turn: the words it was told, and when it will have answered. */
  readonly turns: Map<string, { words: string[]; endsAt: number }>
  goesAt: number | null
}

/** Everything of a server that acts by itself in a chat, on a store that outlives it. */
async function openWorkers(server: TestServer) {
  const { store, clock } = server
  const lines: string[] = []
  const logger = createLogger({
    level: 'warn',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
  })
  const { starter, dispatcher, stop } = await startChatWorkers(server, logger)
  const sweeper = agentSessionLooks({ store, clock, logger, lastSeen: new LastSeen() })
  onTestFinished(async () => {
    await stop()
    expect(lines).toEqual([])
  })
  return { starter, dispatcher, sweeper, stop }
}

class Visit {
  readonly #room: Awaited<ReturnType<typeof openConsole>>
  readonly #dice: Chance
  #server: TestServer
  #workers: Awaited<ReturnType<typeof openWorkers>>
  #machine: Machine
  readonly #processes = new Map<string, Process>()
  readonly #counts = new Map<string, number>()
  /** How often the process that had it in hand was killed. */
  readonly #killed = new Map<string, number>()
  #heard = 0

  static async open(seed: string): Promise<Visit> {
    const room = await openConsole({}, { 'restart.max': 100 })
    return new Visit(room, chance(seed), await openWorkers(room.server), await room.machine())
  }

  private constructor(
    room: Awaited<ReturnType<typeof openConsole>>,
    dice: Chance,
    workers: Awaited<ReturnType<typeof openWorkers>>,
    machine: Machine,
  ) {
    this.#room = room
    this.#dice = dice
    this.#server = room.server
    this.#workers = workers
    this.#machine = machine
  }

  get words(): string[] {
    return [...this.#killed.keys()]
  }

  async #ask(path: string, body?: unknown) {
    const token = this.#room.server.ownerToken
    const method = 'POST'
    const answer = await this.#server.ask(path, {
      method,
      token,
      ...(body !== undefined && { body }),
    })
    expect(answer.status).toBeLessThan(300)
  }

  open = () => this.#ask(`/api/projects/${this.#room.projectId}/chat/start?agentId=coder&panelId=p`)
  close = (soon = '') =>
    this.#ask(`/api/projects/${this.#room.projectId}/agents/coder/chat/end?panelId=p${soon}`)

  async say(): Promise<void> {
    const word = `word-${this.#killed.size}.`
    this.#killed.set(word, 0)
    await this.#ask('/api/chat', {
      projectId: this.#room.projectId,
      toAgentId: 'coder',
      content: word,
    })
  }

  async reload(): Promise<void> {
    await this.close('&soon=true')
    await this.open()
  }

  /** With everything it holds: what comes next finds the store alone. */
  async killServer(): Promise<void> {
    const { store, clock, folder, ownerToken } = this.#room.server
    await this.#workers.stop()
    await this.#server.server.close()
    this.#server = await openTestServer({
      testStore: { store, clock, folder },
      ownerTokenHash: hashSecret(ownerToken),
    })
    this.#workers = await openWorkers(this.#server)
    this.#machine = await playMachine(this.#server, this.#machine.id, this.#room.token)
  }

  async killAgent(): Promise<void> {
    const [launchId] = this.#processes.keys()
    if (launchId === undefined) return
    this.#lose(launchId)
    await this.#machine.tell(exited(launchId, { signal: 'SIGKILL' }))
  }

  #lose(launchId: string): void {
    for (const { words } of this.#processes.get(launchId)?.turns.values() ?? [])
      for (const word of words) this.#killed.set(word, (this.#killed.get(word) ?? 0) + 1)
    this.#processes.delete(launchId)
  }

  /** Time as a machine that is awake sees it. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.#room.server.clock.advance(Math.min(stepMs, ms - passed))
      await this.#machine.tell()
      await this.#workers.sweeper.run()
      await this.settle()
    }
  }

  /** Until nobody has anything to do at this moment. */
  async settle(): Promise<void> {
    do {
      await this.#workers.starter.settled()
      await this.#workers.dispatcher.settled()
      await this.#server.server.machines.settled()
    } while (await this.#runInstruction())
  }

  /**
   * What the machine does: it starts what it is told to, works as long as that takes, and goes some
   * time after it is told to.
   */
  async #runInstruction(): Promise<boolean> {
    const { store, clock } = this.#room.server
    const events = await store.eventsAfter(coordinatorStream(this.#machine.id), this.#heard, 1000)
    this.#heard += events.length
    for (const { type, data } of events) await this.#runOne(type, JSON.parse(data ?? '{}'))
    const begun = await this.#machine.begun()
    for (const { launchId } of begun) await this.#begin(launchId)
    const now = clock.now()
    let moved = events.length + begun.length > 0
    for (const [launchId, { turns, goesAt }] of this.#processes) {
      for (const [turnId, { words, endsAt }] of turns) {
        if (endsAt > now) continue
        turns.delete(turnId)
        await this.#machine.tell(
          said(launchId, turnId, `done: ${words.join(' ')}`),
          turnEnded(launchId, turnId),
        )
        moved = true
      }
      if (goesAt === null || goesAt > now) continue
      this.#processes.delete(launchId)
      await this.#machine.tell(exited(launchId, { stopped: true }))
      moved = true
    }
    return moved
  }

  // biome-ignore lint/suspicious/noExplicitAny: an order is whatever the server says
  async #runOne(type: string, data: any): Promise<void> {
    const now = this.#room.server.clock.now()
    if (type === 'stop-ordered') {
      const process = this.#processes.get(data.launchId)
      expect([...(process?.turns.values() ?? [])], 'stopped in the middle of a turn').toEqual([])
      if (process) process.goesAt = now + this.#dice.below(40) * second
    }
    if (type === 'turn-ordered') this.#beginTurn(data, now)
  }

  async #begin(launchId: string): Promise<void> {
    expect([...this.#processes.keys()], 'a second process beside one that lives').toEqual([])
    this.#processes.set(launchId, { turns: new Map(), goesAt: null })
    await this.#machine.tell(started(launchId), readyAgent(launchId))
  }

  #beginTurn(
    {
      launchId,
      turnId,
      content,
    }: { launchId: string; turnId: string; content: { text: string }[] },
    now: number,
  ): void {
    const process = this.#processes.get(launchId)
    // The process was killed before the order came.
    if (!process) return
    const words = [...(content.at(-1)?.text ?? '').matchAll(/word-\d+\./g)].map(([word]) => word)
    for (const word of words) {
      const times = (this.#counts.get(word) ?? 0) + 1
      this.#counts.set(word, times)
      expect(times, `${word} was given to another process though nobody killed the first`).toBe(
        (this.#killed.get(word) ?? 0) + 1,
      )
      if (times > 1)
        expect(content.map(({ text }) => text).join()).toContain('parts of it may be done')
    }
    process.turns.set(turnId, { words, endsAt: now + (1 + this.#dice.below(120)) * second })
  }

  /** How often each word was answered; one that was lost with two processes is said to be. */
  async answers(): Promise<Map<string, number>> {
    await this.pass(600 * second)
    const token = this.#room.server.ownerToken
    const said: string[] = []
    for (let cursor = ''; ; ) {
      const path = `/api/projects/${this.#room.projectId}/agents/coder/messages?limit=100${cursor}`
      const { items, nextCursor } = (await this.#server.ask(path, { token })).json
      for (const { senderId, content } of items) if (senderId === 'coder') said.push(content)
      if (nextCursor === null) break
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`
    }
    return new Map(
      this.words.map((word) => [word, said.filter((each) => each.includes(word)).length]),
    )
  }

  expected = (): Map<string, number> =>
    new Map([...this.#killed].map(([word, times]) => [word, times < 2 ? 1 : 0]))

  async act(): Promise<void> {
    const deeds = [
      this.close,
      this.close,
      this.open,
      this.reload,
      this.say,
      this.say,
      this.killServer,
      this.killAgent,
    ]
    // An agent that is killed all the time has nothing left to be closed in.
    const deed = this.#dice.one(0.8) ? this.#dice.pick(deeds.slice(0, 6)) : this.#dice.pick(deeds)
    await deed.call(this)
    await this.settle()
    await this.pass(this.#dice.below(40) * second)
  }
}

test.each(amount(['first'], ['first', 'second', 'third', 'fourth']))(
  '[NA5] [CX6] 50 closings, reopenings, reloads and kills during turns (%s): each message is in one process at a time, and answered once',
  async (seed) => {
    const visit = await Visit.open(seed)
    for (let deed = 0; deed < 50; deed++) await visit.act()
    expect(await visit.answers()).toEqual(visit.expected())
    expect(visit.words.length).toBeGreaterThan(5)
  },
)

test('[NA5] a panel that is left in the middle of an answer and opened again 1.5 s later: the same process answers, once', async () => {
  const { room, server, machine, say, chat, agentSessions } = await openAcpChat()
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  const sweeper = agentSessionLooks({
    store: server.store,
    clock: server.clock,
    logger,
    lastSeen: new LastSeen(),
  })
  const project = `/api/projects/${room.projectId}`
  const post = (path: string) =>
    server.ask(`${project}${path}?agentId=coder&panelId=p`, { method: 'POST' })
  await post('/chat/start')
  const launchId = await bringUp(machine)
  await say('count to a hundred')
  const first = await machine.turn()
  await machine.tell(said(launchId, first.turnId, 'one, two, '))
  expect((await post('/agents/coder/chat/end')).json.agentSession.state).toBe('terminating')
  server.clock.advance(1.5 * second)
  await post('/chat/start')
  for (let passed = 0; passed < 100 * second; passed += stepMs) {
    server.clock.advance(stepMs)
    await machine.tell()
    await sweeper.run()
  }
  await machine.tell(said(launchId, first.turnId, 'a hundred'), turnEnded(launchId, first.turnId))
  await say('and the next?')
  const next = await machine.turn()
  // The same process in the same context, which knows what it said: it is told the new message
  // alone.
  expect([next.launchId, next.context]).toEqual([launchId, first.context])
  expect(next.content).toEqual([{ type: 'text', text: 'and the next?' }])
  await machine.tell(
    said(launchId, next.turnId, 'a hundred and one'),
    turnEnded(launchId, next.turnId),
  )
  const messages = [
    'owner: count to a hundred',
    'coder: one, two, a hundred',
    'owner: and the next?',
    'coder: a hundred and one',
  ]
  expect(await chat()).toEqual(messages)
  const { items } = (await server.ask(`/api/processes?projectId=${room.projectId}`)).json
  expect(items).toMatchObject([{ launchId, state: 'running', stopReason: null }])
  expect(await agentSessions()).toMatchObject([
    { state: 'active' },
    { state: 'ended', endReason: 'closed' },
  ])
  const key = encodeURIComponent(webKey(room.projectId, 'coder'))
  const turns = (await server.ask(`/api/conversations/${key}/turns`)).json.items
  expect(turns.map(({ state }: { state: string }) => state)).toEqual(['answered', 'answered'])
})
