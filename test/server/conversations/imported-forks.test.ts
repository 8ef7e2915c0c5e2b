/** Forks and archives of sessions that are taken in, and the first message to one. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLineOf } from '../../support/command-line.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function copyOf(sample: string): string {
  const copy = join(temporaryFolder(), 'copy')
  cpSync(join(import.meta.dirname, '../../past-sessions/samples', sample), copy, {
    recursive: true,
  })
  return copy
}

test('[IM11] a fork names the turn that it was forked from, and what was archived there is here', async () => {
  const server = await openTestServer()
  const { holdfast } = await commandLineOf(server)
  const read = async (path: string) => (await server.ask(path)).json
  const take = (from: string, env: Record<string, string>) =>
    holdfast(['import', '--from', from, '--json'], { env: { HOME: temporaryFolder(), ...env } })
  await take('claude', { CLAUDE_CONFIG_DIR: copyOf('claude/config') })
  const taken: { id: string; key: string }[] = (await read('/api/imported-sessions?limit=100'))
    .items
  const origin = taken.find(({ id }) => id.startsWith('95591d8f'))?.key
  const keys = taken.map(({ key }) => key)
  const all = await Promise.all(keys.map((key) => read(`/api/conversations/${key}`)))
  const forks = all.filter(({ forkedFrom }) => forkedFrom !== undefined)
  expect(forks.map(({ forkedFrom }) => forkedFrom.key)).toEqual([origin])
  const { turnId } = forks[0].forkedFrom
  const { turn } = await read(`/api/conversations/${origin}/turns/${turnId}`)
  const own = (await read(`/api/conversations/${forks[0].key}/turns`)).items
  expect(own.map(({ content }: { content: unknown }) => content)).toContainEqual(turn.content)
  await take('codex', { CODEX_HOME: copyOf('codex/home') })
  const archive: { title: string }[] = (await read('/api/conversations?archived=true&limit=100'))
    .items
  expect(archive.map(({ title }) => title)).toEqual(['to be archived'])
})

test('[IM13] the first message to one without a project gives it a project and an agent, in one step', async () => {
  const server = await openTestServer()
  const post = async (path: string, body: object) => server.ask(path, { method: 'POST', body })
  const { id: projectId } = (await post('/api/projects', { name: 'Loft' })).json
  for (const id of ['coder', 'critic']) {
    await post('/api/agents', { id, name: id, protocol: 'acp', command: 'holdfast' })
    await server.ask(`/api/projects/${projectId}/agents/${id}`, { method: 'PUT', body: {} })
  }
  const none = { folder: null, branch: null, version: null, forkOf: null, machine: null }
  const about = { title: 'Old', archived: false, updatedAt: '2026-01-02T03:04:05.000Z' }
  const source = { agent: 'claude', id: 'old', ...none, ...about }
  const { key } = (await post('/api/imported-sessions', { source, turns: [], mark: null })).json
  const read = async () => (await server.ask(`/api/conversations/${key}`)).json
  const say = (body: object) => post('/api/chat', { conversationKey: key, content: 'on', ...body })
  // The project has no agent of its program, and nobody is named: nothing changes.
  expect((await say({ projectId })).json.code).toBe('wrong_state')
  expect((await say({ projectId: 'none', toAgentId: 'coder' })).json.code).toBe('not_found')
  expect((await say({ projectId, toAgentId: 'nobody' })).status).toBe(404)
  expect(await read()).toMatchObject({ projectId: null, agentId: null, messageCount: 0 })
  const said = { projectId, toAgentId: 'coder', clientId: 'a' }
  expect((await say(said)).status).toBe(201)
  expect((await say(said)).status).toBe(201)
  expect(await read()).toMatchObject({ projectId, agentId: 'coder', messageCount: 1 })
  // From then on it is that agent's.
  expect((await say({ projectId, toAgentId: 'critic' })).json.code).toBe('wrong_state')
})
