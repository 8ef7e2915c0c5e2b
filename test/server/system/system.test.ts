/** Health, readiness, figures, logs (HT5, OP1). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Refusal } from '../../../src/domain/errors.ts'
import { coordinatorLog } from '../../../src/platform/files/data-folder.ts'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { openTestServer } from '../../support/server.ts'
import { openTestStore } from '../../support/store.ts'

test('[HT5] alive and ready are two things: without its store the server lives and is not ready', async () => {
  const server = await openTestServer()
  expect((await server.ask('/healthz', { token: null })).json).toEqual({
    status: 'ok',
    version: '0.0.0-test',
  })
  expect((await server.ask('/readyz', { token: null })).json).toEqual({ status: 'ready' })
  server.store.check = () => Promise.reject(new Refusal('store_unavailable', 'The disk is full'))
  expect((await server.ask('/healthz', { token: null })).status).toBe(200)
  expect((await server.ask('/readyz', { token: null })).json).toMatchObject({
    status: 503,
    code: 'store_unavailable',
    detail: 'The disk is full',
  })
})

test('[RE11] a row that cannot be read from the disk is no fault of the request: 503 with Retry-After, and words', async () => {
  const server = await openTestServer()
  const { id } = (await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  await server.store.close()
  const file = join(server.folder, 'holdfast.db')
  const { store } = await openTestStore({ folder: server.folder, clock: server.clock })
  const again = await openTestServer({
    testStore: { store, clock: server.clock, folder: server.folder },
  })
  // All but the first page: the file is ours still, and nothing that is in it can be read.
  writeFileSync(file, readFileSync(file).fill(0xaa, 4096))
  for (const path of ['/api/projects', `/api/projects/${id}`]) {
    const { status, headers, json } = await again.ask(path)
    expect([path, status, json.code, headers['retry-after']]).toEqual([
      path,
      503,
      'store_unavailable',
      '1',
    ])
    expect(json.detail).toContain('could not be read')
  }
})

test('[WT6] what the logs take on the disk is shown, with the most they can take', async () => {
  const server = await openTestServer()
  const logs = async () => (await server.ask('/api/disk')).json.logs
  expect(await logs()).toEqual({ bytes: 0, atMostBytes: 8 * 1024 * 1024 })
  const file = coordinatorLog(server.folder)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'a line\n')
  writeFileSync(`${file}.before`, 'an older one\n')
  expect(await logs()).toMatchObject({ bytes: 20 })
})

test('[HT5] [OP1] the figures are Prometheus text: latency by route, refusals by code, connections, the store', async () => {
  const server = await openTestServer()
  const { port, ownerToken: token } = server
  const socket = await openSocket({ port, token })
  await socket.subscribe(['home'])
  await followEvents({ port, token, streams: 'home' })
  await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })
  await server.ask('/api/projects/none')
  socket.send({ type: 'nonsense' })
  await socket.next('error')
  const { text } = await server.ask('/metrics')
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1),
    )
  expect(
    value(
      'holdfast_http_request_duration_seconds_count{method="POST",route="/api/projects",status="201"}',
    ),
  ).toBe(1)
  expect(
    value(
      'holdfast_http_request_duration_seconds_bucket{method="POST",route="/api/projects",status="201",le="+Inf"}',
    ),
  ).toBe(1)
  expect(
    value(
      'holdfast_http_request_duration_seconds_count{method="GET",route="/api/projects/:projectId",status="404"}',
    ),
  ).toBe(1)
  expect(value('holdfast_refused_total{code="not_found"}')).toBe(1)
  expect(value('holdfast_refused_total{code="unknown_type"}')).toBe(1)
  expect(value('holdfast_websockets_open')).toBe(1)
  expect(value('holdfast_event_streams_open')).toBe(1)
  expect(value('holdfast_feed_events_total')).toBe(2)
  expect(value('holdfast_feed_bytes_total')).toBeGreaterThan(500)
  expect(value('holdfast_store_commits_total')).toBeGreaterThanOrEqual(1)
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e7)
  for (const line of text.trim().split('\n')) {
    expect(line).toMatch(
      /^# (?:HELP|TYPE) \w+ .+$|^\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? -?[\d.e+-]+$/,
    )
  }
})

test('[HT5] the figures need a credential that may read', async () => {
  const server = await openTestServer()
  expect((await server.ask('/metrics', { token: null })).status).toBe(401)
  const agent = (
    await server.ask('/api/agents', { method: 'POST', body: { name: 'a', protocol: 'mcp' } })
  ).json
  expect((await server.ask('/metrics', { token: agent.passkey })).status).toBe(403)
})

test('[OP1] every line of the log is JSON and carries the id that the answer names', async () => {
  const server = await openTestServer()
  const created = await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })
  const refused = await server.ask('/api/me', { headers: { host: 'evil.example' } })
  await followEvents({ port: server.port, token: server.ownerToken, streams: 'home' })
  const lines = server
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const of = (id: unknown) => lines.filter(({ requestId }) => requestId === id)
  expect(of(created.headers['x-request-id'])).toEqual([
    expect.objectContaining({
      level: 'info',
      method: 'POST',
      path: '/api/projects',
      status: 201,
      by: 'owner',
      ms: expect.any(Number),
    }),
  ])
  expect(of(refused.headers['x-request-id'])).toEqual([
    expect.objectContaining({ code: 'forbidden_host', host: 'evil.example' }),
  ])
  expect(lines).toContainEqual(
    expect.objectContaining({ streams: ['home'], msg: 'event stream started' }),
  )
})
