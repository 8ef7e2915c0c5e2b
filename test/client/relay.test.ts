/**
 * The relay client against the real server, with a machine that the test plays and sockets that the
 * test cuts.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { clientClock } from '../../src/client/backoff.ts'
import { ProblemError } from '../../src/client/client.ts'
import {
  type Following,
  openRelay,
  type RelayOptions,
  type RelayState,
} from '../../src/client/relay.ts'
import type { RelayEvent, RelaySnapshot } from '../../src/client/relay-messages.ts'
import { answerMs, probeMs } from '../../src/client/relay-socket.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { manualClock } from '../support/manual-clock.ts'
import { type Console, openConsole } from '../support/relay.ts'

/** Waits before another try are over at once; how long an answer may take stays as it is. */
const longestPauseMs = 15_000
const eager: Clock = {
  now: clientClock.now,
  after: (ms, callback) =>
    clientClock.after(ms < longestPauseMs && ms !== answerMs && ms !== probeMs ? 1 : ms, callback),
}

function relayOf(room: Console, options: Partial<RelayOptions> = {}) {
  const states: RelayState['state'][] = []
  const { url, ownerToken: token } = room.server
  const onState = ({ state }: RelayState): void => void states.push(state)
  const relay = openRelay({ url, token, onState, clock: eager, random: () => 0, ...options })
  onTestFinished(() => relay.close())
  return { relay, states }
}

/** Every WebSocket that is opened from here on, to be cut. */
function watchSockets(): { cut: () => void; opened: () => number } {
  const Real = globalThis.WebSocket
  const sockets: WebSocket[] = []
  globalThis.WebSocket = class extends Real {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given)
      sockets.push(this)
    }
  }
  onTestFinished(() => {
    globalThis.WebSocket = Real
  })
  return { cut: () => sockets.at(-1)?.close(), opened: () => sockets.length }
}

/** What a follower was told, and can be waited for. */
function listener() {
  const events: RelayEvent[] = []
  const snapshots: RelaySnapshot[] = []
  let wake = (): void => {}
  const following = {
    onEvent: (event: RelayEvent) => {
      events.push(event)
      wake()
    },
    onSnapshot: (snapshot: RelaySnapshot) => {
      snapshots.push(snapshot)
      wake()
    },
  } satisfies Partial<Following>
  const until = async (enough: () => boolean): Promise<void> => {
    while (!enough()) await new Promise<void>((resolve) => (wake = resolve))
  }
  return {
    events,
    snapshots,
    following,
    until,
    has: (type: string) => until(() => events.some((each) => each.type === type)),
  }
}

/** An agent in the role `auth` that can be prompted. */
async function withAgent(options: Partial<RelayOptions> = {}) {
  const room = await openConsole()
  const machine = await room.machine()
  const { relay, states } = relayOf(room, options)
  const id = await relay.create(room.projectId)
  const inside = { sessionId: id }
  const seen = listener()
  relay.follow({ userSessionId: id, lastSeq: 0, ...seen.following })
  const spawning = relay.request({ type: 'agent:spawn', ...inside, role: 'auth' })
  const launchId = await machine.bringUp()
  expect(await spawning).toMatchObject({ type: 'agent:spawning', role: 'auth' })
  await seen.has('agent:ready')
  return { room, machine, relay, states, id, inside, seen, launchId }
}

test('[RL4] whenever the connection is cut, no event is missed and none comes twice', async () => {
  const sockets = watchSockets()
  const { room, machine, relay, id, inside, seen } = await withAgent()
  for (let turn = 0; turn < 10; turn++) {
    const before = seen.events.length
    // A few times: cut for ever, a slow machine would never come to the end of a connection's
    // beginning.
    let cutsLeft = 4
    const cutting = setInterval(() => cutsLeft-- > 0 && sockets.cut(), 3)
    const answered = relay.request({
      type: 'agent:message',
      ...inside,
      role: 'auth',
      content: `turn ${turn}`,
    })
    // Once for certain, however quick the rest is.
    sockets.cut()
    await machine.answer('one ', 'two ', 'three ', 'four ', `five of ${turn}`)
    await answered
    clearInterval(cutting)
    await seen.until(() => seen.events.slice(before).some(({ type }) => type === 'agent:response'))
  }
  expect(sockets.opened()).toBeGreaterThan(5)
  const all = listener()
  relayOf(room).relay.follow({ userSessionId: id, lastSeq: 0, ...all.following })
  await all.until(() => all.events.length >= seen.events.length)
  expect(seen.events.map(({ seq }) => seq)).toEqual(seen.events.map((_, index) => index + 1))
  expect(seen.events).toEqual(all.events)
  expect(seen.events.filter(({ type }) => type === 'agent:prompted')).toHaveLength(10)
  expect(seen.snapshots).toEqual([])
})

test('[RL2] a request whose connection is lost is sent again under its id, done once', async () => {
  const sockets = watchSockets()
  const { machine, relay, inside, seen } = await withAgent()
  const asked = relay.request(
    { type: 'agent:message', ...inside, role: 'auth', content: 'once' },
    'my-id',
  )
  sockets.cut()
  expect(await asked).toMatchObject({ type: 'agent:prompted', requestId: 'my-id' })
  const again = await relay.request(
    { type: 'agent:message', ...inside, role: 'auth', content: 'once' },
    'my-id',
  )
  expect(again).toEqual(await asked)
  await machine.answer('said')
  await seen.has('agent:response')
  expect(seen.events.filter(({ type }) => type === 'agent:prompted')).toHaveLength(1)
})

test('[RL2] a refusal goes to who asked, and a missing session to its follower', async () => {
  const { relay, inside, seen } = await withAgent()
  const refused = await relay
    .request({ type: 'agent:message', ...inside, role: 'nobody', content: 'hello' })
    .catch((error) => error)
  expect(refused).toBeInstanceOf(ProblemError)
  expect(refused.problem).toMatchObject({ code: 'agent_not_found', status: 404 })
  expect(seen.events.at(-1)?.type).toBe('agent:ready')
  const code = await new Promise((resolve) =>
    relay.follow({
      userSessionId: 'nowhere',
      ...listener().following,
      onRefused: (problem) => resolve(problem.code),
    }),
  )
  expect(code).toBe('user_session_not_found')
})

test('[RL4] without a number it begins with a snapshot, and goes on behind it', async () => {
  const { room, machine, relay, id, inside } = await withAgent()
  await Promise.all([
    relay.request({ type: 'agent:message', ...inside, role: 'auth', content: 'first' }),
    machine.answer('done'),
  ])
  const later = listener()
  const { relay: other } = relayOf(room)
  let caughtUp = 0
  other.follow({ userSessionId: id, ...later.following, onCaughtUp: () => caughtUp++ })
  await later.until(() => later.snapshots.length > 0)
  expect(later.snapshots[0]).toMatchObject({ sessionId: id, agents: [{ role: 'auth' }] })
  expect(caughtUp).toBe(1)
  await Promise.all([
    other.request({ type: 'agent:message', ...inside, role: 'auth', content: 'second' }),
    machine.answer('too'),
  ])
  await later.has('agent:response')
  const seqs = later.events.map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, index) => (later.snapshots[0]?.atSeq ?? 0) + 1 + index))
})

test('[RL5] a revoked credential ends the relay for good, and nobody is left waiting', async () => {
  const room = await openConsole()
  const made = await room.server.ask('/api/tokens', {
    method: 'POST',
    body: { name: 's', kind: 'script', scopes: ['read', 'write'] },
  })
  const { id, token } = made.json
  const { relay, states } = relayOf(room, { token })
  const seen = listener()
  relay.follow({ userSessionId: await relay.create(room.projectId), lastSeq: 0, ...seen.following })
  await seen.has('session:created')
  await room.server.ask(`/api/tokens/${id}`, { method: 'DELETE' })
  await expect(relay.create(room.projectId)).rejects.toThrow()
  await expect.poll(() => states.at(-1)).toBe('signed-out')
  await expect(relay.create(room.projectId)).rejects.toThrow('Nothing answers')
})

test('[RL5] a server that says nothing is asked, and left when it does not answer', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  onTestFinished(() => {
    for (const each of server.clients) each.terminate()
  })
  const heard: string[] = []
  server.on('connection', (socket) =>
    socket.on('message', (data) => heard.push(JSON.parse(String(data)).type)),
  )
  const clock = manualClock()
  const states: RelayState['state'][] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const relay = openRelay({
    url,
    clock,
    random: () => 0,
    onState: ({ state }) => states.push(state),
  })
  onTestFinished(() => relay.close())
  relay.follow({ userSessionId: 'u', lastSeq: 3, ...listener().following })
  await expect.poll(() => heard).toEqual(['session:resume'])
  clock.advance(probeMs)
  await expect.poll(() => heard).toEqual(['session:resume', 'agent:list'])
  clock.advance(answerMs)
  expect(states).toEqual(['connecting', 'live', 'reconnecting'])
  clock.advance(1000)
  await expect.poll(() => states.at(-1)).toBe('live')
})

test('[RL5] a server that is away is asked less and less often', async () => {
  const nobody = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(nobody, 'listening')
  const { port } = nobody.address() as AddressInfo
  await new Promise<void>((resolve) => nobody.close(() => resolve()))
  const waits: number[] = []
  let now = clientClock.now()
  /** Waits are over at once, and take their time on the clock. */
  const clock: Clock = {
    now: () => now,
    after: (ms, callback) => {
      if (ms === answerMs) return clientClock.after(ms, callback)
      waits.push(ms)
      now += ms
      return clientClock.after(0, callback)
    },
  }
  const relay = openRelay({ url: `http://127.0.0.1:${port}`, clock, random: () => 1 })
  onTestFinished(() => relay.close())
  relay.follow({ userSessionId: 'u', lastSeq: 3, ...listener().following })
  await expect
    .poll(() => waits.slice(0, 8))
    .toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
})
