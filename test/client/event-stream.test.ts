import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import {
  type EventSnapshot,
  type StreamState,
  silenceMs,
  steadyMs,
  type WatchOptions,
  watchEvents,
} from '../../src/client/event-stream.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { hashSecret } from '../../src/platform/secrets/secrets.ts'
import type { HoldfastEvent } from '../../src/protocol/events.ts'
import { problemOf } from '../../src/protocol/problem.ts'
import { answering, json } from '../support/answering.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { openTestServer } from '../support/server.ts'
import { openTestStore } from '../support/store.ts'

/** A watch whose every word is kept, and can be waited for. */
function watch(client: Client, options: Partial<WatchOptions> = {}) {
  const events: HoldfastEvent[] = []
  const snapshots: EventSnapshot[] = []
  const states: StreamState[] = []
  const waiting: (() => void)[] = []
  const keep = <Item>(list: Item[], item: Item): void => {
    list.push(item)
    for (const wake of waiting.splice(0)) wake()
  }
  const handle = watchEvents(client, {
    streams: ['home'],
    onEvent: (event) => keep(events, event),
    onSnapshot: (snapshot) => keep(snapshots, snapshot),
    onState: (state) => keep(states, state),
    random: () => 1,
    ...options,
  })
  onTestFinished(() => handle.close())
  const until = async (enough: () => boolean): Promise<void> => {
    while (!enough()) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return {
    handle,
    events,
    snapshots,
    states,
    until,
    names: () =>
      events.map((event) =>
        'data' in event && 'project' in event.data ? event.data.project.name : '',
      ),
    inState: (state: StreamState['state'], times = 1) =>
      until(() => states.filter((each) => each.state === state).length >= times),
  }
}

/** A clock that can be waited for: until somebody waits on it for exactly so long. */
function watchedClock(): ManualClock & { waitsFor(ms: number): Promise<void> } {
  const clock = manualClock()
  const waits: number[] = []
  let wake = (): void => {}
  return {
    ...clock,
    after(ms, callback) {
      waits.push(ms)
      wake()
      return clock.after(ms, callback)
    },
    async waitsFor(ms) {
      while (!waits.includes(ms)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      waits.splice(waits.indexOf(ms), 1)
    },
  }
}

const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
const event = (seq: number): string =>
  `id: c${seq}\nevent: project-created\ndata: {"type":"project-created","stream":"home","seq":${seq}}\n\n`
const seqs = (events: readonly HoldfastEvent[]): number[] => events.map(({ seq }) => seq)

test('[LB1] a change made by one client reaches another that watches', async () => {
  const { url, ownerToken } = await openTestServer()
  const client = createClient({ url, token: ownerToken })
  const watched = watch(client)
  await watched.inState('live')
  await client.post('/api/projects', { body: { name: 'seen' } })
  await watched.until(() => watched.events.length === 1)
  expect(watched.names()).toEqual(['seen'])
})

test('[LB1] a server that was away is followed from the last event, each one once', async () => {
  const testStore = await openTestStore()
  const first = await openTestServer({ testStore })
  const client = createClient({ url: first.url, token: first.ownerToken })
  const watched = watch(client)
  await watched.inState('live')
  await client.post('/api/projects', { body: { name: 'before' } })
  await watched.until(() => watched.events.length === 1)
  await first.server.close()
  await watched.inState('reconnecting')

  const elsewhere = await openTestServer({ testStore })
  await createClient({ url: elsewhere.url, token: elsewhere.ownerToken }).post('/api/projects', {
    body: { name: 'while away' },
  })
  const ownerTokenHash = hashSecret(first.ownerToken)
  await openTestServer({
    testStore,
    ownerTokenHash,
    listen: { host: '127.0.0.1', port: first.port },
  })
  await watched.inState('live', 2)
  await client.post('/api/projects', { body: { name: 'after' } })
  await watched.until(() => watched.events.length >= 3)
  expect(watched.names()).toEqual(['before', 'while away', 'after'])
  expect(watched.states.map(({ state }) => state)).toEqual(['live', 'reconnecting', 'live'])
})

test('[HT6] a cursor nobody knows gets a snapshot', async () => {
  const { url, ownerToken } = await openTestServer()
  const watched = watch(createClient({ url, token: ownerToken }), { after: 'unknown' })
  await watched.until(() => watched.snapshots.length === 1)
  expect(watched.snapshots[0]?.state).toHaveProperty('home')
})

test('[LB1] without a valid credential it gives up and says so', async () => {
  const { url } = await openTestServer()
  const watched = watch(createClient({ url, token: 'hf_owner_somebody-elses-token' }))
  await watched.inState('signed-out')
  expect(watched.states).toEqual([{ state: 'signed-out' }])
})

test('[LB1] a refusal that will stay one is told with its reason', async () => {
  const { url, ownerToken } = await openTestServer()
  const watched = watch(createClient({ url, token: ownerToken }), { streams: ['nonsense'] })
  await watched.inState('refused')
  expect(watched.states).toMatchObject([{ state: 'refused', problem: { status: 400 } }])
})

test('[LB1] an event that was cut off in the middle comes again, and only that', async () => {
  const { url, requests } = await answering((_, response, count) => {
    if (count === 1) begin(response).end(event(1) + event(2).slice(0, -1))
    else begin(response).write(event(2))
  })
  const clock = watchedClock()
  const watched = watch(createClient({ url }), { after: 'c0', clock })
  await clock.waitsFor(250)
  clock.advance(250)
  await watched.until(() => watched.events.length === 2)
  expect(seqs(watched.events)).toEqual([1, 2])
  expect(requests.map(({ url: path }) => path)).toEqual([
    '/api/events?streams=home&after=c0',
    '/api/events?streams=home',
  ])
  expect(requests[1]?.headers['last-event-id']).toBe('c1')
})

test('[LB1] a connection that is silent for too long is given up and made again', async () => {
  const clock = watchedClock()
  const { url, requests } = await answering((_, response) => begin(response).write(': beat\n\n'))
  const watched = watch(createClient({ url }), { clock })
  await watched.inState('live')
  clock.advance(silenceMs)
  await watched.inState('reconnecting')
  await clock.waitsFor(250)
  clock.advance(250)
  await watched.inState('live', 2)
  expect(requests).toHaveLength(2)
})

test('[LB1] tries become rarer up to a bound, and begin anew after a good connection', async () => {
  const clock = watchedClock()
  let held: ServerResponse | undefined
  const { url, requests } = await answering((_, response, count) => {
    if (count === 9) begin(response).write('id: c1\n\n', () => (held = response))
    else if (count % 2 === 0) json(response, 503, problemOf(new Refusal('busy')))
    else begin(response).end()
  })
  const watched = watch(createClient({ url }), { clock })
  for (const ms of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
    await clock.waitsFor(ms)
    clock.advance(ms)
  }
  await watched.until(() => held !== undefined && watched.states.at(-1)?.state === 'live')
  clock.advance(steadyMs + 1)
  held?.end()
  await clock.waitsFor(250)
  expect(requests).toHaveLength(9)
})

test('[LB1] "reconnecting" says since when, however often it is tried', async () => {
  const clock = watchedClock()
  const lostAt = clock.now()
  const { url } = await answering((_, response) =>
    json(response, 503, problemOf(new Refusal('shutting_down'))),
  )
  const watched = watch(createClient({ url }), { clock })
  await clock.waitsFor(250)
  clock.advance(250)
  await clock.waitsFor(500)
  expect(watched.states).toEqual([{ state: 'reconnecting', since: lostAt }])
})

test('[LB1] after close nothing is heard any more', async () => {
  const { url, ownerToken } = await openTestServer()
  const client = createClient({ url, token: ownerToken })
  const [closed, open] = [watch(client), watch(client)]
  await Promise.all([closed.inState('live'), open.inState('live')])
  closed.handle.close()
  await client.post('/api/projects', { body: { name: 'unheard' } })
  await open.until(() => open.events.length === 1)
  expect(closed.events).toEqual([])
  expect(closed.states).toEqual([{ state: 'live' }])
})
