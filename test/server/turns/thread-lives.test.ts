/** Who follows the events of a thread knows what a fresh snapshot says (protocol/threads). */
import { expect, test } from 'vitest'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { amount } from '../../support/extent.ts'
import { followEvents } from '../../support/feed-clients.ts'
import { fc } from '../../support/property.ts'
import { asks, said } from '../../support/relay.ts'
import { liveInChat, lives, ordinaryLife } from '../../support/thread-lives.ts'

test('[TH2] an ordinary life: asked, decided, stopped, failed, killed and begun again', async () => {
  const seen = await liveInChat(ordinaryLife)
  expect(seen.filter((each) => each === '-')).toEqual([])
})

test('[TH2] whatever happens in a chat, its events folded are its snapshot', async () => {
  const property = fc.asyncProperty(lives, async (steps) => {
    await liveInChat(steps)
  })
  await fc.assert(property, { numRuns: amount(6, 150) })
}, 600_000)

test('[TH2] the route tells the state, the numbers it stands for and the cursor behind them', async () => {
  const { server, room, say, machine } = await openAcpChat()
  const key = `web:${room.projectId}.coder`
  const path = `/api/conversations/${key}/thread`
  expect((await server.ask(path)).json.state).toMatchObject({ messages: [], turns: [] })
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'so far'))
  const { json } = await server.ask(path)
  expect(json.state).toMatchObject({
    messages: [{ content: 'hello' }],
    turns: [{ id: turnId, state: 'running', items: [{ kind: 'text', text: 'so far' }] }],
  })
  const streams = [`conversation:${key}`, `turns:${key}`]
  expect(Object.keys(json.heads)).toEqual(streams)
  const feed = await followEvents({
    port: server.port,
    token: server.ownerToken,
    streams: streams.join(','),
    after: json.cursor,
  })
  await machine.tell(said(launchId, turnId, ' and on'))
  const { data } = await feed.next('agent:update')
  expect(data.seq).toBe(json.heads[`turns:${key}`] + 1)
  expect((await server.ask('/api/conversations/nothing/thread')).status).toBe(422)
})

test('[TH2] [AP15] what is held of an answer, and by whom, stands with what is asked until it is decided', async () => {
  const { server, room, say, machine } = await openAcpChat()
  const key = `web:${room.projectId}.coder`
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const permission = async () => {
    const { state } = (await server.ask(`/api/conversations/${key}/thread`)).json
    return state.turns[0].items[0].permission
  }
  const { approvalId } = await permission()
  expect(await permission()).not.toHaveProperty('held')
  const path = `/api/approvals/${approvalId}/decision`
  const body = { status: 'approved', hold: 5 }
  await server.ask(path, { method: 'POST', body })
  expect(await permission()).toMatchObject({
    outcome: null,
    held: { by: 'owner', status: 'approved', until: expect.any(String) },
  })
  await server.ask(`/api/projects/${room.projectId}/approvals/${approvalId}/decision`, {
    method: 'DELETE',
  })
  expect(await permission()).not.toHaveProperty('held')
  await server.ask(path, { method: 'POST', body: { status: 'rejected' } })
  expect(await permission()).toMatchObject({ outcome: 'denied' })
})
