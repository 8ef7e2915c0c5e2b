/** Titles and the archive over HTTP: which needs which scope, and whose title counts. */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'

const named = hostile({
  onPrompt: `update({ sessionUpdate: 'session_info_update', title: 'Called ' + JSON.stringify(params.prompt).match(/number \\d/g).at(-1).slice(-1) }); say('yes'); done()`,
})

test('[SL1] a person’s title wins over the agent’s, which comes back when it is taken away', async () => {
  const room = await openAgentOnServer(named)
  const at = `/api/conversations/${encodeURIComponent(room.key)}`
  const patch = (body: object) => room.ask(at, body, 'PATCH')
  await room.tell('number 1')
  expect((await room.ask(at)).title).toBe('Called 1')
  expect((await patch({ title: 'Mine' })).title).toBe('Mine')
  await room.tell('number 2')
  expect((await room.ask(at)).title).toBe('Mine')
  expect((await patch({ title: null })).title).toBe('Called 2')
})

test('[SL2] who may only read archives and settles for itself, and gives no title', async () => {
  const room = await openAgentOnServer(named)
  await room.tell('number 1')
  const at = `/api/conversations/${encodeURIComponent(room.key)}`
  const viewer = await room.ask('/api/people', { name: 'Vera', role: 'viewer' })
  const asVera = (path: string, method = 'GET', body?: object) =>
    room.server.ask(path, { method, body, token: viewer.token })
  expect(await asVera(at, 'PATCH', { title: 'Hers', archived: true })).toMatchObject({
    status: 403,
    json: { code: 'missing_scope' },
  })
  expect((await asVera(at)).json).toMatchObject({ archived: false, unread: true, settled: false })
  expect((await asVera(at, 'PATCH', {})).status).toBe(400)
  expect((await asVera(at, 'PATCH', { archived: true })).json).toMatchObject({ archived: true })
  expect((await asVera('/api/conversations')).json.items).toEqual([])
  expect((await asVera('/api/conversations?archived=true')).json.items).toHaveLength(1)
  expect((await asVera('/api/search?q=yes')).json.items).toHaveLength(1)
  expect((await room.ask('/api/conversations')).items).toHaveLength(1)
  const { seq } = (await room.ask('/api/conversations')).items[0].lastMessage
  expect((await asVera(`${at}/seen`, 'PUT', { seq, settled: true })).status).toBe(204)
  expect((await asVera(at)).json).toMatchObject({ unread: false, settled: true })
})
