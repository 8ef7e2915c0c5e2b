import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { maxArtifactBytes } from '../../../src/protocol/work/artifact.ts'
import { HttpListener } from '../../../src/server/http/http-listener.ts'
import { readUploadPart } from '../../../src/services/work/queries.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'
import { openTestStore } from '../../support/store.ts'

async function begin(server: TestServer) {
  const post = async (path: string) =>
    (await server.ask(path, { method: 'POST', body: { name: 'p' } })).json
  const { id: projectId } = await post('/api/projects')
  const { id } = (
    await server.ask(`/api/projects/${projectId}/sessions`, { method: 'POST', body: {} })
  ).json
  const path = `/api/projects/${projectId}/sessions/${id}/artifacts`
  const folder = join(server.folder, 'projects', projectId, 'sessions', id, 'artifacts')
  const authorization = `Bearer ${server.ownerToken}`
  const send = (name: string, init: RequestInit & { duplex?: 'half' }) =>
    fetch(`${server.url}${path}/${name}`, {
      method: 'PUT',
      ...init,
      headers: { authorization, ...init.headers },
    })
  const list = async () => (await server.ask(path)).json.items
  /** Until the mirror has written them. */
  const files = async () => {
    await server.ask(`/api/projects/${projectId}/sessions/${id}/checkpoint`, { method: 'POST' })
    return readdir(folder)
  }
  return { path, folder, authorization, send, list, files }
}

/** So many bytes, made as they are asked for. */
const flood = (bytes: number): ReadableStream<Uint8Array> => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  let left = bytes
  const pieces = function* () {
    for (; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length))
  }
  return Readable.toWeb(Readable.from(pieces())) as ReadableStream<Uint8Array>
}

test('[CK5] bytes come back as they went in, under their name, and lie in the mirror', async () => {
  const server = await openTestServer()
  const { path, folder, send, list, files } = await begin(server)
  const bytes = randomBytes(700_001)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stored = await send('b%C3%BCild.bin', {
    body: bytes,
    headers: { 'content-type': 'application/x-thing' },
  })
  expect(stored.status).toBe(201)
  const artifact = await stored.json()
  expect(artifact).toMatchObject({
    name: 'büild.bin',
    size: 700_001,
    mediaType: 'application/x-thing',
    sha256,
  })
  expect(await list()).toEqual([artifact])
  const got = await fetch(`${server.url}${path}/b%C3%BCild.bin`, {
    headers: { authorization: `Bearer ${server.ownerToken}` },
  })
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
  expect(got.headers.get('content-type')).toBe('application/x-thing')
  expect(got.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''b%C3%BCild.bin")
  expect(got.headers.get('content-security-policy')).toContain('sandbox')
  expect(got.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await files()).toEqual(['büild.bin'])
  expect((await readFile(join(folder, 'büild.bin'))).equals(bytes)).toBe(true)
  expect((await send('b%C3%BCild.bin', { body: 'short' })).status).toBe(200)
  await files()
  expect(await readFile(join(folder, 'büild.bin'), 'utf8')).toBe('short')
  expect((await server.ask(`${path}/b%C3%BCild.bin`, { method: 'DELETE' })).status).toBe(204)
  expect(await files()).toEqual([])
})

test('[CK5] an empty one, JSON, and one without a type are bytes like any other', async () => {
  const server = await openTestServer()
  const { path, send } = await begin(server)
  expect(await (await send('empty', { body: '' })).json()).toMatchObject({ size: 0 })
  expect(
    await (
      await send('x.json', { body: '{"no json', headers: { 'content-type': 'application/json' } })
    ).json(),
  ).toMatchObject({
    size: 9,
    mediaType: 'application/json',
  })
  const plain = await send('plain', { body: Buffer.from('abc') })
  expect(await plain.json()).toMatchObject({ size: 3, mediaType: 'application/octet-stream' })
  expect((await server.ask(`${path}/empty`)).text).toBe('')
})

test('[CK5] names that leave the folder, reserved and over-long ones are refused in words, and nothing is stored', async () => {
  const server = await openTestServer()
  const { send, list, files } = await begin(server)
  const names = [
    '..%2Fx',
    '..%2F..%2Fproject.json',
    '%2Fetc%2Fpasswd',
    '..%5Cx',
    'nul',
    '.mirror.json',
    'x'.repeat(300),
  ]
  for (const name of names) {
    const answer = await send(name, { body: 'x' })
    expect(await answer.json()).toMatchObject({
      status: 422,
      code: 'invalid_name',
      detail: expect.any(String),
    })
  }
  expect(await (await send('a%00b', { body: 'x' })).json()).toMatchObject({
    status: 400,
    code: 'invalid_request',
  })
  expect(await list()).toEqual([])
  expect(await files()).toEqual([])
  expect(existsSync(join(server.folder, 'x'))).toBe(false)
})

test('[SE8] an artifact that is too large is refused in words, whether announced or streamed; nothing is stored and nothing stays behind', async () => {
  const server = await openTestServer()
  const { path, authorization, send, list } = await begin(server)
  const head = `PUT ${path}/large HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: ${authorization}\r\ncontent-length: 200000000\r\n\r\n`
  let announced = ''
  void server.raw(`${head}the first of it`, '}').then((text) => {
    announced = text
  })
  // A client that does not send the rest is told when we have waited for it long enough.
  await expect
    .poll(() => {
      server.clock.advance(10_000)
      return announced
    })
    .toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"too_large"/)
  expect(announced).toContain(`"limit":${maxArtifactBytes}`)
  const streamed = await send('large', {
    body: flood(maxArtifactBytes + 4 * 1024 * 1024),
    duplex: 'half',
  })
  expect(await streamed.json()).toMatchObject({
    status: 413,
    code: 'too_large',
    limit: maxArtifactBytes,
  })
  expect(await list()).toEqual([])
  const left = await server.store.read((reader) =>
    reader.query((db) => db.selectFrom('upload_parts').select('number').limit(1)),
  )
  expect(left).toEqual([])
}, 60_000)

test('[CK5] an upload that breaks off leaves what was there as it was', async () => {
  const server = await openTestServer()
  const { path, send, authorization, list } = await begin(server)
  await send('a', { body: 'first' })
  const [before] = await list()
  const head = `PUT ${path}/a HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: ${authorization}\r\ncontent-length: 1000\r\n\r\n`
  const { connect } = await import('node:net')
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`${head}half of it`)
  await expect
    .poll(() =>
      server.store.read((reader) => reader.query((db) => db.selectFrom('uploads').selectAll())),
    )
    .toHaveLength(1)
  socket.destroy()
  await expect
    .poll(() =>
      server.store.read((reader) => reader.query((db) => db.selectFrom('uploads').selectAll())),
    )
    .toEqual([])
  expect(await list()).toEqual([before])
  expect((await server.ask(`${path}/a`)).text).toBe('first')
})

test('[CK5] a download whose bytes cannot be read to their end breaks at once, and does not look whole', async () => {
  const testStore = await openTestStore()
  const { store } = testStore
  const shaky = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
      const query: typeof store.query = (which, input) =>
        Object.is(which, readUploadPart) && (input as { number: number }).number === 1
          ? Promise.reject(new Error('the disk failed'))
          : store.query(which, input)
      return query
    },
  })
  const server = await openTestServer({ testStore: { ...testStore, store: shaky } })
  const { path, send, authorization } = await begin(server)
  expect((await send('a', { body: randomBytes(300_000) })).status).toBe(201)
  const got = await fetch(`${server.url}${path}/a`, { headers: { authorization } })
  expect(got.headers.get('content-length')).toBe('300000')
  await expect(got.arrayBuffer()).rejects.toThrow()
  expect(server.log()).toContain('the disk failed')
})

test('[HT4] the same bytes under the same key are stored once; other bytes under it are refused', async () => {
  const server = await openTestServer()
  const { send, list } = await begin(server)
  const headers = { 'idempotency-key': 'k' }
  const first = await send('a', { body: 'one', headers })
  const again = await send('a', { body: 'one', headers })
  expect([first.status, again.status]).toEqual([201, 201])
  expect(await again.json()).toEqual(await first.json())
  expect(await (await send('a', { body: 'two', headers })).json()).toMatchObject({
    code: 'idempotency_key_reused',
  })
  expect(await list()).toMatchObject([{ size: 3 }])
})

test('[CK5] an upload that comes slowly is taken, as long as it keeps coming; nothing else may take so long (SE8)', async () => {
  const arrivalMs = 3000
  const server = await openTestServer({ arrivalMs })
  const { send, list, path, authorization } = await begin(server)
  const drops = async function* () {
    for (let sent = 0; sent < 9; sent++) {
      yield Buffer.from('x')
      await new Promise((resolve) => setTimeout(resolve, arrivalMs / 8))
    }
  }
  const body = Readable.toWeb(Readable.from(drops())) as ReadableStream<Uint8Array>
  const beginning = (line: string) =>
    `${line} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
  const [slow, ...stuck] = await Promise.all([
    send('slow', { body, duplex: 'half' }),
    server.raw(beginning(`PUT ${path}/stuck`)),
    server.raw(beginning('POST /api/projects')),
  ])
  expect(await slow.json()).toMatchObject({ size: 9 })
  for (const answer of stuck) expect(answer).toContain('The request took too long to arrive')
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['slow'])
})

test('[CK5] the largest artifact may take longer to arrive than any other request', () => {
  const parts = {
    listen: { host: '127.0.0.1', port: 0 },
    publicUrl: null,
    behindProxy: false,
    version: '0',
    pageFolder: null,
  }
  const { server, arrivalMs } = new HttpListener({
    logger: createLogger({ level: 'error', format: 'json' }),
    ...parts,
  })
  const slowestBytesPerSecond = 32 * 1024
  expect(server.requestTimeout).toBeGreaterThan((maxArtifactBytes / slowestBytesPerSecond) * 1000)
  expect(arrivalMs).toBe(30_000)
})
