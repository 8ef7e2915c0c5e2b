/**
 * Keys of agents over the wire: nothing of the store holds them, nobody reads them, and the machine
 * that starts the agent has them.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { openTestServer } from '../../support/server.ts'

const value = 'sk-live-0123456789abcdef'

test('[SE12] a key that is sent is in no file of the store, not even as a hash to guess at; the agent is started with it', async () => {
  const { ask, url, ownerToken, folder } = await openTestServer()
  const body = {
    id: 'codex',
    name: 'Codex',
    protocol: 'mcp',
    command: '/bin/agent',
    env: { OPENAI_API_KEY: 'x' },
  }
  expect((await ask('/api/agents', { method: 'POST', body })).status).toBe(201)
  const change = { env: { OPENAI_API_KEY: value } }
  const changed = await ask('/api/agents/codex', {
    method: 'PATCH',
    body: change,
    headers: { 'idempotency-key': 'once' },
  })
  expect([changed.status, changed.json.env]).toEqual([200, { OPENAI_API_KEY: '••••••••' }])
  // The same request again is answered from its receipt; another under the same key is refused.
  const again = await ask('/api/agents/codex', {
    method: 'PATCH',
    body: change,
    headers: { 'idempotency-key': 'once' },
  })
  expect(again.json).toEqual(changed.json)
  const other = { env: { OPENAI_API_KEY: 'another' } }
  const reused = await ask('/api/agents/codex', {
    method: 'PATCH',
    body: other,
    headers: { 'idempotency-key': 'once' },
  })
  expect(reused.json.code).toBe('idempotency_key_reused')

  const hash = createHash('sha256')
    .update(`PATCH\n/api/agents/codex\n${JSON.stringify(change)}`)
    .digest('base64url')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  )
  const bytes = Buffer.concat(
    files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)),
  )
  expect(bytes.includes('idempot') || bytes.includes('once')).toBe(true)
  expect([bytes.includes(value), bytes.includes(hash)]).toEqual([false, false])

  const project = (await ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
  await ask(`/api/projects/${project.id}/agents/codex`, { method: 'PUT', body: {} })
  const machine = await playCoordinator({ url, token: ownerToken })
  await ask(`/api/projects/${project.id}/chat/start?agentId=codex`, { method: 'POST' })
  expect(await machine.take(await machine.ordered())).toMatchObject({
    env: { OPENAI_API_KEY: value },
  })
})
