/** A server that goes away does it in order (OP2). */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { ownTime } from '../../support/own-time.ts'
import { openTestServer } from '../../support/server.ts'

test('[OP2] closing says 1012 to WebSockets, ends event streams and accepts nobody new', async () => {
  const server = await openTestServer()
  const { port, ownerToken: token } = server
  const socket = await openSocket({ port, token })
  const events = await followEvents({ port, token, streams: 'home' })
  await server.server.close()
  expect(await socket.closed).toEqual({ code: 1012, reason: 'restarting' })
  await events.ended
  await expect(server.ask('/healthz')).rejects.toThrow('ECONNREFUSED')
})

test('[OP2] a request in flight when the stop comes is finished', async () => {
  const server = await openTestServer()
  const body = JSON.stringify({ name: 'in flight' })
  const head = [
    'POST /api/projects HTTP/1.1',
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${server.ownerToken}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '\r\n',
  ].join('\r\n')
  let text = ''
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.on('data', (chunk) => {
    text += chunk
  })
  const gone = new Promise((resolve) => socket.on('close', resolve))
  socket.write(head)
  // The server has the request once another one, sent later, is answered.
  await server.ask('/healthz')
  const closing = server.server.close()
  socket.write(body)
  await Promise.all([closing, gone])
  expect(text).toMatch(/^HTTP\/1\.1 201 /)
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ name: 'in flight' })
  expect((await server.store.positions(['home']))[0]?.head).toBe(1)
})

test('[SC3] [OP2] who has connected before the stop and speaks after it is answered, whatever else ends meanwhile', async () => {
  const server = await openTestServer()
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  await once(socket, 'connect')
  await server.ask('/healthz')
  const lingering = server.server.close(1000)
  expect(await server.ask('/readyz')).toMatchObject({
    status: 503,
    headers: { connection: 'close' },
  })
  const text = answerOn(socket)
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`)
  expect(await text).toMatch(/^HTTP\/1\.1 200 .*connection: close/is)

  const late = connect({ port: server.port, host: '127.0.0.1' })
  await once(late, 'connect')
  server.clock.advance(1000)
  await noPort(server.port)
  const lateText = answerOn(late)
  late.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`)
  expect(await lateText).toMatch(/^HTTP\/1\.1 200 /)
  await lingering
})

test('[SC3] a node that is still sent requests goes on answering them, and no longer than four seconds', async () => {
  const server = await openTestServer()
  const { clock } = server
  let closed = false
  const closing = server.server.close(1000).then(() => {
    closed = true
  })
  for (const ms of [900, 300, 300, 1500]) {
    expect((await server.ask('/api/projects')).status).toBe(200)
    clock.advance(ms)
    await server.ask('/healthz').catch(() => undefined)
    if (ms < 1500) expect(closed).toBe(false)
  }
  await closing
  await noPort(server.port)
  const busy = await openTestServer()
  const ended = busy.server.close(1000)
  for (let ms = 0; ms < 4000; ms += 250) {
    await busy.ask('/api/projects').catch(() => undefined)
    busy.clock.advance(250)
  }
  await ended
})

test('[OP2] a client that never finishes its request cannot hold the stop up', async () => {
  const server = await openTestServer()
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  const gone = new Promise((resolve) => socket.on('close', resolve))
  socket.write(
    `POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
  )
  await server.ask('/healthz')
  const closing = server.server.close()
  await new Promise((resolve) => setImmediate(resolve))
  server.clock.advance(5000)
  await Promise.all([closing, gone])
  expect(socket.bytesRead, 'it is not answered').toBe(0)
})

test('[OP2] a WebSocket client that does not answer the goodbye is cut off', async () => {
  const server = await openTestServer()
  const socket = await openSocket({ port: server.port, token: server.ownerToken })
  socket.webSocket.pause()
  const closing = server.server.close()
  await new Promise((resolve) => setImmediate(resolve))
  const waited = ownTime()
  server.clock.advance(1000)
  await closing
  // The library's own patience with a close frame is 5 s; the server's is over.
  expect(waited()).toBeLessThan(4000)
})

/** All that comes until the end. */
function answerOn(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  return once(socket, 'close').then(() => text)
}

/** Resolves when nobody listens there any more. */
async function noPort(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    const refused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    socket.destroy()
    if (refused) return
  }
}
