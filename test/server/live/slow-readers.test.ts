/** Clients that do not read: bounded, paced by themselves, a burden to nobody else (RL5, SE8). */
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const rounds = 24
const mebibyte = 1024 * 1024

/**
 * An agent that fills 900 KB, so that two dozen changes are far more than the kernel's buffers
 * take.
 */
async function largeAgent(server: TestServer): Promise<string> {
  const args = Array.from({ length: 120 }, () => 'x'.repeat(7500))
  const answer = await server.ask('/api/agents', {
    method: 'POST',
    body: { name: 'large', protocol: 'acp', command: 'x', args },
  })
  expect(answer.status).toBe(201)
  return answer.json.id
}

async function changeOften(server: TestServer, agentId: string): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const answer = await server.ask(`/api/agents/${agentId}`, {
      method: 'PATCH',
      body: { name: `large ${round}` },
    })
    expect(answer.status).toBe(200)
  }
}

async function figure(server: TestServer, series: string): Promise<number> {
  const { text } = await server.ask('/metrics')
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  )
}

const waitingBytes = (server: TestServer): Promise<number> =>
  figure(server, 'holdfast_feed_waiting_bytes')

const seqs = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('[RL5] a WebSocket that is not read holds at most 1 MiB, slows nobody, is closed with 4008 and resumes', async () => {
  const server = await openTestServer()
  const agentId = await largeAgent(server)
  const open = () => openSocket({ port: server.port, token: server.ownerToken })
  const [slow, quick] = [await open(), await open()]
  const { cursor: start } = await slow.subscribe(['home'])
  await quick.subscribe(['home'])
  slow.webSocket.pause()
  await changeOften(server, agentId)
  for (let seq = 2; seq <= rounds + 1; seq++)
    expect((await quick.next('event')).event.seq).toBe(seq)
  const waiting = await waitingBytes(server)
  expect(waiting).toBeGreaterThan(0)
  expect(waiting).toBeLessThanOrEqual(mebibyte)
  for (let seconds = 0; seconds < 20; seconds += 5) server.clock.advance(5000)
  slow.webSocket.resume()
  expect(await slow.closed).toEqual({ code: 4008, reason: 'resume' })
  const seen = slow.inbox.all.filter(({ type }) => type === 'event')
  expect(seen.length).toBeLessThan(rounds)
  const again = await open()
  await again.subscribe(['home'], seen.at(-1)?.cursor ?? start)
  const rest: number[] = []
  while (rest.at(-1) !== rounds + 1) rest.push((await again.next('event')).event.seq)
  expect([...seen.map(({ event }) => event.seq), ...rest]).toEqual(seqs(2, rounds + 1))
})

test('[RL5] a client that is slow but reads is paced, not closed, and gets everything once', async () => {
  const server = await openTestServer()
  const agentId = await largeAgent(server)
  const slow = await openSocket({ port: server.port, token: server.ownerToken })
  await slow.subscribe(['home'])
  slow.webSocket.pause()
  await changeOften(server, agentId)
  server.clock.advance(5000)
  slow.webSocket.resume()
  const got: number[] = []
  while (got.at(-1) !== rounds + 1) got.push((await slow.next('event')).event.seq)
  expect(got).toEqual(seqs(2, rounds + 1))
})

test('[RL5] an event stream that is not read is bounded, cut off and resumes behind what it saw', async () => {
  const server = await openTestServer()
  const agentId = await largeAgent(server)
  const follow = (lastEventId?: string) =>
    followEvents({ port: server.port, token: server.ownerToken, streams: 'home', lastEventId })
  const slow = await follow()
  slow.response.pause()
  await changeOften(server, agentId)
  expect(await waitingBytes(server)).toBeLessThanOrEqual(mebibyte)
  for (let seconds = 0; seconds < 20; seconds += 5) server.clock.advance(5000)
  slow.response.resume()
  await slow.ended
  const seen = slow.inbox.all
  expect(seen.length).toBeLessThan(rounds)
  const again = await follow(seen.at(-1)?.id)
  const rest: number[] = []
  while (rest.at(-1) !== rounds + 1) rest.push((await again.next()).data.seq)
  expect([...seen.map(({ data }) => data.seq), ...rest]).toEqual(seqs(2, rounds + 1))
})

test('[SE8] a client that asks and never reads the answers is not asked for more', async () => {
  const server = await openTestServer()
  const socket = await openSocket({ port: server.port, token: server.ownerToken })
  socket.webSocket.pause()
  const question = JSON.stringify({ type: 'x'.repeat(900), requestId: 'y'.repeat(190) })
  for (let index = 0; index < 25_000; index++) socket.webSocket.send(question)
  const answered = () => figure(server, 'holdfast_refused_total{code="unknown_type"}')
  for (let before = -1, now = await answered(); now !== before; now = await answered()) before = now
  expect(await waitingBytes(server)).toBeLessThanOrEqual(mebibyte)
  socket.webSocket.resume()
  const codes: unknown[] = []
  while (codes.length < 25_000) codes.push((await socket.next()).code)
  expect(new Set(codes)).toEqual(new Set(['unknown_type']))
})
