/** `Idempotency-Key` over HTTP (HT4). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestServer } from '../../support/server.ts'

test('[HT4] a repeated write has the same answer and is done once; another body is refused', async () => {
  const server = await openTestServer()
  const write = (body: object, key = 'k1', token = server.ownerToken) =>
    server.ask('/api/projects', {
      method: 'POST',
      body,
      token,
      headers: { 'idempotency-key': key },
    })
  const first = await write({ name: 'p' })
  const again = await write({ name: 'p' })
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect((await server.ask('/api/projects')).json.items).toHaveLength(1)
  const other = await write({ name: 'q' })
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  expect((await write({ name: 'p' }, 'k2')).json.id).not.toBe(first.json.id)
  const script = (
    await server.ask('/api/tokens', { method: 'POST', body: { name: 's', kind: 'script' } })
  ).json
  expect((await write({ name: 'q' }, 'k1', script.token)).status).toBe(201)
})

test('[HT4] many at once with one key are done once', async () => {
  const server = await openTestServer()
  const headers = { 'idempotency-key': 'same' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      server.ask('/api/projects', { method: 'POST', body: { name: 'p' }, headers }),
    ),
  )
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect((await server.store.positions(['home']))[0]?.head).toBe(1)
})

test('[HT4] the key counts for the path and the query too, and for DELETE', async () => {
  const server = await openTestServer()
  const [one, two] = await Promise.all(
    ['a', 'b'].map((name) => server.ask('/api/projects', { method: 'POST', body: { name } })),
  )
  const headers = { 'idempotency-key': 'd' }
  expect(
    (await server.ask(`/api/projects/${one?.json.id}`, { method: 'DELETE', headers })).status,
  ).toBe(204)
  expect(
    (await server.ask(`/api/projects/${one?.json.id}`, { method: 'DELETE', headers })).status,
  ).toBe(204)
  expect(
    (await server.ask(`/api/projects/${two?.json.id}`, { method: 'DELETE', headers })).json.code,
  ).toBe('idempotency_key_reused')
  expect((await server.ask(`/api/projects/${one?.json.id}`, { method: 'DELETE' })).status).toBe(404)
})

test('[HT4] an answer with a secret comes again to its caller, and is never readable in the store', async () => {
  const server = await openTestServer()
  const make = () =>
    server.ask('/api/agents', {
      method: 'POST',
      body: { name: 'a', protocol: 'mcp' },
      headers: { 'idempotency-key': 'a' },
    })
  const [first, again] = [await make(), await make()]
  expect(first.json.passkey).toMatch(/^hf_agent_/)
  expect(again.text).toBe(first.text)
  for (const name of await readdir(server.folder)) {
    expect(await readFile(join(server.folder, name), 'latin1').catch(() => '')).not.toContain(
      first.json.passkey,
    )
  }
})

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(201)],
  ['not printable', 'a\tb'],
])('[HT4] a key that is %s is refused and nothing is done', async (_, key) => {
  const server = await openTestServer()
  const answer = await server.ask('/api/projects', {
    method: 'POST',
    body: { name: 'p' },
    headers: { 'idempotency-key': key },
  })
  expect([answer.status, answer.json.field]).toEqual([400, 'Idempotency-Key'])
  expect((await server.store.positions(['home']))[0]?.head).toBe(0)
})
