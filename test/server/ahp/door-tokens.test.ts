/** Tokens of doors: the only ones that stand in an address (SE31). */
import { expect, test } from 'vitest'
import { openAhp } from '../../support/ahp-client.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'

const make = async (server: TestServer, body: object) =>
  (await server.ask('/api/tokens', { method: 'POST', body })).json

const opens = async (
  server: TestServer,
  token: string,
  path = '/ahp',
): Promise<number | 'open'> => {
  const opened = await openAhp({ port: server.port, token, path })
  return typeof opened === 'number' ? opened : 'open'
}

test('[SE31] a token of the kind door stands in the address, at /ahp and at /; no other kind does', async () => {
  const server = await openTestServer()
  const door = await make(server, { name: 'vscode', kind: 'door', scopes: ['read', 'write'] })
  expect(door).toMatchObject({ kind: 'door', scopes: ['read', 'write'], token: /^hf_door_/ })
  expect(await opens(server, door.token)).toBe('open')
  expect(await opens(server, door.token, '/')).toBe('open')
  const script = await make(server, { name: 'ci', kind: 'script' })
  const person = await server.ask('/api/people', {
    method: 'POST',
    body: { name: 'Ann', role: 'owner' },
  })
  const others = [server.ownerToken, script.token, person.json.token, 'hf_door_nothing', '']
  for (const token of others) expect(await opens(server, token)).toBe(401)
  // Where a client can send a header, it may.
  const headers = { authorization: `Bearer ${script.token}` }
  expect(typeof (await openAhp({ port: server.port, headers }))).toBe('object')
  expect(await openAhp({ port: server.port })).toBe(401)
  // Nowhere else does it stand in an address.
  expect(await openAhp({ port: server.port, path: '/ws', token: door.token })).toBe(401)
  expect((await server.ask(`/api/me?tkn=${door.token}`, { token: null })).status).toBe(401)
})

test('[SE31] a door’s token acts as its person, manages nothing, and ends with a connection that is open', async () => {
  const server = await openTestServer()
  const refused = await server.ask('/api/tokens', {
    method: 'POST',
    body: { name: 'v', kind: 'door', scopes: ['read', 'manage'] },
  })
  expect([refused.status, refused.json.field]).toEqual([400, 'scopes'])
  const door = await make(server, { name: 'vscode', kind: 'door' })
  expect(door.scopes).toEqual(['read', 'write', 'approve'])
  const me = (await server.ask('/api/me', { token: door.token })).json
  expect(me).toMatchObject({ id: 'owner', kind: 'door', role: null, scopes: door.scopes })
  expect((await server.ask('/api/tokens', { token: door.token })).status).toBe(403)
  const listed = (await server.ask('/api/tokens')).json.items
  expect(listed).toMatchObject([{ id: door.id, kind: 'door', name: 'vscode' }])
  expect(JSON.stringify(listed)).not.toContain(door.token)
  const client = await openAhp({ port: server.port, token: door.token })
  if (typeof client === 'number') throw new Error(`refused: ${client}`)
  await server.ask(`/api/tokens/${door.id}`, { method: 'DELETE' })
  expect(await client.closed).toBe(4001)
  expect(await opens(server, door.token)).toBe(401)
  expect(server.log()).not.toContain(door.token)
})
