/** A server that goes away does it in order (OP2). */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { followEvents, openSocket } from '../support/feed-clients.ts'
import { openTestServer } from '../support/server.ts'

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
})

test('[OP2] a WebSocket client that does not answer the goodbye is cut off', async () => {
  const server = await openTestServer()
  const socket = await openSocket({ port: server.port, token: server.ownerToken })
  socket.webSocket.pause()
  const closing = server.server.close()
  await new Promise((resolve) => setImmediate(resolve))
  const started = performance.now()
  server.clock.advance(1000)
  await closing
  // The library's own patience with a close frame is 5 s; the server's is over.
  expect(performance.now() - started).toBeLessThan(4000)
})
